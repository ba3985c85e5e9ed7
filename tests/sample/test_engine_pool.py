"""A pool of actors gives what one engine gives, also after a worker died."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from components.core.errors import DataError
from components.sample.config import SamplerConfig
from components.sample.engine import SamplingParameters
from components.sample.pool import EnginePool

PROMPTS = [f"What is {i} + {i * 7}?" for i in range(6)]
SEEDS = [1000 * i for i in range(6)]
PARAMETERS = SamplingParameters(max_response_tokens=12)


@pytest.fixture(scope="module")
def pool(random_model: Path) -> Iterator[EnginePool]:
    if importlib.util.find_spec("ray") is None:
        pytest.skip("Ray is not installed")
    from components.sample.ray_cluster import stop_ray

    with EnginePool(SamplerConfig(engine="transformers", num_workers=2), random_model, 512) as pool:
        yield pool
    stop_ray()


@pytest.mark.slow
def test_pool_equals_one_engine_with_old_and_new_weights(pool: EnginePool, random_model: Path):
    with EnginePool(SamplerConfig(engine="transformers", num_workers=0), random_model, 512) as one:
        assert pool.generate(PROMPTS, SEEDS, 3, PARAMETERS) == one.generate(PROMPTS, SEEDS, 3, PARAMETERS)
        new = {n: p.detach().numpy() * 1.1 for n, p in one.local.model.named_parameters()}
        pool.load_weights(new)
        one.load_weights(new)
        expected = one.generate(PROMPTS, SEEDS, 3, PARAMETERS)
        assert pool.generate(PROMPTS, SEEDS, 3, PARAMETERS) == expected
        pool.workers[1].kill()
        assert pool.generate(PROMPTS, SEEDS, 3, PARAMETERS) == expected


@pytest.mark.slow
def test_an_engines_own_error_is_passed_on(pool: EnginePool):
    with pytest.raises(DataError, match="leaves no room"):
        pool.generate(["x" * 600], [1], 1, PARAMETERS)
    assert len(pool.generate(PROMPTS[:1], SEEDS[:1], 2, PARAMETERS)[0]) == 2


@pytest.mark.slow
def test_the_cluster_is_local_and_guarded_by_a_token(pool: EnginePool):
    from components.sample.ray_cluster import cluster_environment

    environment = cluster_environment()
    assert environment["RAY_ADDRESS"].startswith("127.0.0.1:")
    assert environment["RAY_AUTH_MODE"] == "token" and len(environment["RAY_AUTH_TOKEN"]) >= 32
