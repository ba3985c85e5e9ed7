"""Engines without a model: the script, and a completions server on loopback."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from transformers import AutoTokenizer

from components.core.errors import ConfigError, DataError, InfraError
from components.sample import endpoint_engine
from components.sample.catalog import make_engine
from components.sample.config import SamplerConfig
from components.sample.engine import SamplingParameters

PARAMETERS = SamplingParameters(max_response_tokens=20)


class Completions(BaseHTTPRequestHandler):
    """Answers with what it was asked; fails first for seed 13, refuses seed 99."""

    seen: list[dict] = []
    failed: set[int] = set()

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.seen.append({**body, "path": self.path, "key": self.headers.get("Authorization")})
        status = 200
        if body["seed"] == 13 and 13 not in self.failed:
            self.failed.add(13)
            status = 503
        if body["seed"] == 99:
            status = 400
        choice = {"text": f"seed {body['seed']}", "finish_reason": "length" if body["seed"] % 2 else "stop"}
        answer = json.dumps({"choices": [choice], "usage": {"completion_tokens": 4}}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    Completions.seen.clear()
    Completions.failed.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Completions) as http:
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{http.server_address[1]}/v1"
        http.shutdown()
        thread.join()


def test_endpoint_samples_in_order_and_retries(server: str, random_model: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OUR_KEY", "abc")
    config = SamplerConfig(
        engine="endpoint", endpoint_url=server, endpoint_model="m", endpoint_key_env="OUR_KEY", endpoint_extra={"x": 1}
    )
    engine = make_engine(config, random_model, 64)
    samples = engine.generate(["ab", "c" * 60], [10, 20], 4, PARAMETERS)
    assert [[s.text for s in row] for row in samples] == [[f"seed {s + j}" for j in range(4)] for s in (10, 20)]
    assert [s.finish_reason for s in samples[0]] == ["stop", "length"] * 2
    assert samples[0][0].num_tokens == 4 and samples[0][0].token_ids == []
    tokenizer = AutoTokenizer.from_pretrained(random_model)
    asked = {body["seed"]: body for body in Completions.seen}
    assert asked[10]["prompt"] == tokenizer("ab").input_ids and asked[10]["max_tokens"] == 20
    assert asked[20]["max_tokens"] == 4  # what a context of 64 leaves
    assert asked[10]["path"] == "/v1/completions" and asked[10]["key"] == "Bearer abc" and asked[10]["x"] == 1
    assert sum(body["seed"] == 13 for body in Completions.seen) == 2
    with pytest.raises(DataError, match="status 400"):
        engine.generate(["ab"], [99], 1, PARAMETERS)
    with pytest.raises(ConfigError, match="weights"):
        engine.load_weights({})
    engine.close()


def test_endpoint_that_is_away(random_model: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(endpoint_engine, "ATTEMPTS", 2)
    config = SamplerConfig(engine="endpoint", endpoint_url="http://127.0.0.1:9/v1")
    with pytest.raises(InfraError, match="is the server up"):
        make_engine(config, random_model, 64).generate(["ab"], [1], 1, PARAMETERS)


def test_script(tmp_path: Path, random_model: Path):
    path = tmp_path / "script.jsonl"
    entries = [
        {"prompt": "exact 2 + 3", "responses": ["five"]},
        {"prompt_contains": "2 + 3", "responses": ["5", {"text": "x" * 50}, {"text": "…", "finish_reason": "length"}]},
    ]
    path.write_text("\n".join(json.dumps(e) for e in entries), encoding="utf-8")
    engine = make_engine(SamplerConfig(engine="scripted", scripted_file=str(path)), random_model, 64)
    exact, contained = engine.generate(["exact 2 + 3", "What is 2 + 3?"], [0, 0], 4, PARAMETERS)
    assert [s.text for s in exact] == ["five"] * 4
    assert [s.text for s in contained] == ["5", "x" * 20, "…", "5"]
    assert [s.finish_reason for s in contained] == ["stop", "length", "length", "stop"]
    assert contained[0].num_tokens == 2  # the end token counts
    with pytest.raises(DataError, match="no entry for the prompt"):
        engine.generate(["unknown"], [0], 1, PARAMETERS)
    path.write_text('{"prompt": "x"}\n', encoding="utf-8")
    with pytest.raises(DataError, match="entry 1 needs 'responses'"):
        make_engine(SamplerConfig(engine="scripted", scripted_file=str(path)), random_model, 64)
