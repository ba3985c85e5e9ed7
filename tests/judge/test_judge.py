"""The judge stage against a real HTTP server on loopback that follows a script."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any

import pytest

from components.core.errors import ConfigError, InfraError
from components.core.records import Problem, Source, read_dropped, read_problems, write_problems
from components.core.step import execute
from components.judge.ballot import messages, read_vote
from components.judge.config import JudgeConfig
from components.judge.run import STAGE, judge

MODELS = [{"name": "first", "votes": 3}, {"name": "second", "votes": 2}]
Script = Callable[[dict[str, Any], int], tuple[int, str]]
"""(request body, how often this very request came before) -> status, reply text."""


def problem(row: int, statement: str, domain: str = "math") -> Problem:
    return Problem(f"r{row}", f"p{row}", domain, statement, Source("own", "1", row), ("7",))  # type: ignore[arg-type]


@contextmanager
def serve(script: Script) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    seen: Counter[str] = Counter()
    requests: list[dict[str, Any]] = []
    lock = Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            key = json.dumps(body, sort_keys=True)
            with lock:
                before, seen[key] = seen[key], seen[key] + 1
                requests.append({"path": self.path, "key": self.headers.get("Authorization"), **body})
            status, text = script(body, before)
            content = json.dumps({"choices": [{"message": {"content": text}}]}).encode()
            self.send_response(status)
            if status == 302:
                self.send_header("Location", "http://127.0.0.1:9/v1/chat/completions")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", requests
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def config(url: str, **settings: Any) -> JudgeConfig:
    base = {
        "enabled": True, "endpoint_url": url, "models": MODELS, "min_valid_votes": 3, "min_counted_votes": 4,
        "retry_wait_s": 0, "concurrency": 4, "timeout_s": 20,
    }  # fmt: skip
    return JudgeConfig.parse({**base, **settings})


def votes(body: dict[str, Any], before: int) -> tuple[int, str]:
    """A statement such as `3 1` gets 3 valid votes of the first model and 1 of the second."""
    wanted = body["messages"][1]["content"].split("\n")[1].split(" ")
    good = body["seed"] < int(wanted[body["model"] == "second"])
    return 200, "Some reason that is not INVALID by itself.\n" + ("VALID" if good else "INVALID")


def test_votes_of_all_models_are_added(tmp_path: Path) -> None:
    pool = [problem(0, "3 0"), problem(1, "1 1"), problem(2, "2 1"), problem(3, "0 0"), problem(4, "0 0", "code")]
    write_problems(tmp_path / "in.parquet", pool)
    outputs = {port: tmp_path / f"{port}.parquet" for port in ("kept", "dropped")}
    with serve(votes) as (url, requests):
        result = execute(STAGE, "judge", config(url).to_json(), {"problems": tmp_path / "in.parquet"}, outputs)
    assert [p.row_id for p in read_problems(outputs["kept"])] == ["r0", "r2", "r4"]
    dropped = read_dropped(outputs["dropped"])
    assert [(d.row_id, d.reason) for d in dropped] == [("r1", "judged_invalid"), ("r3", "judged_invalid")]
    assert dropped[0].evidence["by_model"] == {
        "first": {"valid": 1, "invalid": 2, "missing": 0},
        "second": {"valid": 1, "invalid": 1, "missing": 0},
    }
    assert result.counts["dropped"] == {"judged_invalid": 2} and result.counts["judged"] == 4
    assert len(requests) == 4 * 5 and {r["path"] for r in requests} == {"/v1/chat/completions"}


def test_failed_and_unreadable_votes_are_tried_again() -> None:
    def script(body: dict[str, Any], before: int) -> tuple[int, str]:
        if before == 0:
            return 503, ""
        return votes(body, before) if before > 1 else (200, "I would rather not say")

    with serve(script) as (url, requests):
        kept, dropped, missing = judge([problem(0, "3 2"), problem(1, "0 1")], config(url))
    assert [p.row_id for p in kept] == ["r0"] and [d.row_id for d in dropped] == ["r1"] and missing == 0
    assert kept[0].metadata["judge"]["valid_votes"] == 5 and len(requests) == 30


def test_a_missing_vote_is_not_a_vote_against() -> None:
    def script(body: dict[str, Any], before: int) -> tuple[int, str]:
        return (500, "") if body["model"] == "second" else votes(body, before)

    with serve(script) as (url, _):
        kept, _, missing = judge([problem(0, "3 2")], config(url, retries=0))
        assert [p.row_id for p in kept] == ["r0"] and missing == 2
        with pytest.raises(InfraError, match="row r0 got only 3 readable votes and 2 failed"):
            judge([problem(0, "2 2")], config(url, retries=0))


@pytest.mark.parametrize("status", [401, 404])
def test_a_refusal_stops_at_once_and_names_the_settings_but_no_key(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OR1_JUDGE_API_KEY", "the-secret-key")
    with serve(lambda body, before: (status, "")) as (url, requests):
        with pytest.raises(InfraError, match=f"status {status}.*'endpoint_url'") as caught:
            judge([problem(i, "3 2") for i in range(20)], config(url))
    assert "the-secret-key" not in str(caught.value)
    assert len(requests) < 100 and requests[0]["key"] == "Bearer the-secret-key"


def test_a_redirect_is_not_followed() -> None:
    with serve(lambda body, before: (302, "")) as (url, _), pytest.raises(InfraError, match="readable votes"):
        judge([problem(0, "3 2")], config(url, retries=0))


def test_an_endpoint_that_is_not_there_is_an_infra_error() -> None:
    with pytest.raises(InfraError, match="row r0 got only 0 readable votes and 5 failed"):
        judge([problem(0, "3 2")], config("http://127.0.0.1:9/v1", retries=1))


def test_off_means_every_row_passes(tmp_path: Path) -> None:
    pool = [problem(0, "3 0"), problem(1, "0 0")]
    write_problems(tmp_path / "in.parquet", pool)
    outputs = {port: tmp_path / f"{port}.parquet" for port in ("kept", "dropped")}
    counts = execute(STAGE, "judge", "{}", {"problems": tmp_path / "in.parquet"}, outputs).counts
    assert read_problems(outputs["kept"]) == pool and counts["rows_kept"] == 2 and counts["judged"] == 0


def test_votes_are_read_from_the_last_line() -> None:
    assert read_vote("It looks INVALID at first.\nVALID") is True
    assert read_vote("reasons\n\n**Invalid.**\n") is False
    assert read_vote("VALID or INVALID") is None and read_vote("") is None and read_vote("VALID\nbecause") is None


def test_the_ballot_holds_the_statement_and_the_four_criteria() -> None:
    system, user = messages(problem(0, "What is 3+4?"))
    assert "What is 3+4?" in user["content"]
    assert all(word in system["content"] for word in ("Clear", "Complete", "Well formed", "Relevant"))


def test_settings_that_cannot_work_are_refused() -> None:
    with pytest.raises(ConfigError, match="endpoint_url"):
        JudgeConfig.parse({"enabled": True})
    with pytest.raises(ConfigError, match="http"):
        JudgeConfig.parse({"endpoint_url": "file:///etc/passwd"})
    with pytest.raises(ConfigError, match="at most 5"):
        config("http://127.0.0.1:9", min_counted_votes=6)
    defaults = JudgeConfig()
    assert (sum(m.votes for m in defaults.models), defaults.min_valid_votes) == (32, 9)
