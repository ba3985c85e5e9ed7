# OR1 Pipelines: `make` prints the verbs. Every verb installs what it needs into .venv first.
PYTHON ?= python3.11
BIN := .venv/bin
RECIPE ?= tiny

.DEFAULT_GOAL := help
.PHONY: help install install-dev run test check format types fast slow compile lock clean

help: ## Print this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

install: ## Install into .venv what running needs (downloads 0.9 to 4 GB, says so)
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) not found; install Python 3.11 or run: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) requirements/install.py run

install-dev: ## The same plus test and lint tools
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) not found; install Python 3.11 or run: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) requirements/install.py dev

run: install ## Run the whole graph on this machine (RECIPE=tiny), report in runs/RECIPE/report.html
	@$(BIN)/or1 run $(RECIPE)

test: install-dev check fast slow ## Install, lint, type-check and run all tests

check: ## Format check, lint, types
	@$(BIN)/ruff format --check . && $(BIN)/ruff check .
	@$(BIN)/mypy

format: ## Format and fix what can be fixed
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .

fast: ## Tests that need seconds
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m "not slow and not gpu"

slow: ## Tests that run engines and the whole graph
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m "slow and not gpu"

compile: install ## Compile the graph of RECIPE for Kubeflow into build/RECIPE.yaml
	@mkdir -p build && $(BIN)/or1 compile $(RECIPE) --output build/$(RECIPE).yaml

lock: install-dev ## Write the lock files again from what is installed
	@$(BIN)/python -m pip install -q uv && $(BIN)/python requirements/lock.py

clean: ## Remove build and cache folders (not .venv, not runs)
	@rm -rf build .pytest_cache .mypy_cache .ruff_cache
