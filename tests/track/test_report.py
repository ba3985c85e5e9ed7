"""The report page: complete, partial, escaped, self-contained."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from run_folder_fixture import SCRIPT, build_run, scores_of

from components.benchmarks.catalog import load_benchmark
from components.benchmarks.config import BenchmarkConfig
from components.core.errors import DataError
from components.core.files import read_jsonl, write_json, write_jsonl
from components.track.metrics import flat_numbers, metric_name
from components.track.report.completions import benchmark_statements
from components.track.report.curves import entropy_target, joined_rows
from components.track.report.evaluation import evaluations, gains, result_sentence
from components.track.report.funnel import source_counts
from components.track.report.lineage_picture import arrange, depths, nodes_of, parents_of
from components.track.report.markup import Markup, element, escape, shorten
from components.track.report.page import write_report
from components.track.report.svg import ticks
from components.track.run_folder import RunStep, read_steps

SECTIONS = ("evaluation", "training", "funnel", "difficulty", "completions", "lineage", "steps", "versions")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A complete run but for the registration (which needs MLflow and has its own tests)."""
    with pytest.MonkeyPatch.context() as patch:
        folder = build_run(tmp_path_factory.mktemp("report"), patch, until="evaluate-final")
    write_report(folder, folder / "report.html")
    return folder


class Page(HTMLParser):
    """Collects tags, attributes and ids; checks that every tag is closed in order."""

    VOID = {"meta", "line", "rect", "circle", "path", "polyline", "polygon"}

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags, self.ids, self.open, self.attributes = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attributes]
        self.ids += [value for name, value in attributes if name == "id"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_complete_page_is_well_formed_and_loads_nothing(run):
    text = (run / "report.html").read_text()
    page = Page(text)
    assert page.open == [] and page.ids == list(SECTIONS)
    assert page.tags.count("svg") >= 14
    assert not {"script", "link", "img", "iframe", "object", "embed", "form"} & set(page.tags)
    assert not [name for name in page.attributes if name.startswith("on") or name == "src"]
    assert "default-src &#x27;none&#x27;" in text and "http" not in re.sub(r"http-equiv", "", text)


def test_planted_script_is_shown_as_text_only(run):
    text = (run / "report.html").read_text()
    assert "<script" not in text.lower()
    assert text.count("&lt;script&gt;alert(&#x27;planted&#x27;)&lt;/script&gt;") >= 10


def test_text_of_benchmark_problems_is_shown_when_given(run, tmp_path):
    problem_id = min(scores_of(run.parent, "evaluate-base")["benchmarks"]["tiny_math"]["problems"])
    write_report(run, tmp_path / "r.html", {problem_id: f"How many hens? {SCRIPT}"})
    text = (tmp_path / "r.html").read_text()
    assert "How many hens? &lt;script&gt;" in text and "<script" not in text


def test_statements_of_benchmarks_come_from_their_files(tmp_path):
    rows = [{"problem": f"What is {n} + 1?", "answer": str(n + 1)} for n in range(3)]
    write_jsonl(tmp_path / "sums.jsonl", rows)
    benchmark = {"name": "sums", "kind": "tiny_math", "files": ["sums.jsonl"]}
    gone = {"name": "gone", "kind": "tiny_math", "files": ["gone.jsonl"]}
    config = {"root": str(tmp_path), "benchmarks": [benchmark, gone]}
    step = RunStep(
        "evaluate-base", "evaluate", "k", 1.0, False, {}, {}, tmp_path, "", {"s": {"step": {"config": config}}}
    )
    known = benchmark_statements([step])
    assert sorted(known.values()) == [row["problem"] for row in rows]
    assert set(known) == {p.problem_id for p in load_benchmark(BenchmarkConfig.parse(benchmark), tmp_path)}


@pytest.mark.parametrize("until", ["ingest-numinamath", "mix", "evaluate-base", "train-1"])
def test_partial_run_leaves_sections_out_with_a_sentence(tmp_path, monkeypatch, until):
    folder = build_run(tmp_path, monkeypatch, until=until)
    write_json(folder / "steps" / ".failed-train-2.json", {"step": "train-2", "error": "InfraError", "message": SCRIPT,
                                                           "log": "logs/train-2.log"})  # fmt: skip
    write_report(folder, folder / "report.html")
    text = (folder / "report.html").read_text()
    assert Page(text).ids == list(SECTIONS)
    assert "Step train-2 failed" in text and "<script" not in text
    if until == "ingest-numinamath":
        assert "No training step has finished" in text and "no evaluation yet" in text


def test_empty_run_and_wrong_folder(tmp_path):
    (tmp_path / "steps").mkdir()
    write_report(tmp_path, tmp_path / "report.html")
    assert "No step has finished" in (tmp_path / "report.html").read_text()
    with pytest.raises(DataError, match="not a run folder"):
        write_report(tmp_path / "elsewhere", tmp_path / "x.html")


def test_metrics_file_holds_counts_scores_and_curves(run):
    rows = read_jsonl(run / "metrics.jsonl")
    by_name = {(r["step"], r["name"], r.get("x")): r["value"] for r in rows}
    assert by_name["filter", "filter/rows_in", None] == 81
    assert by_name["filter", "filter/dropped/has_url", None] == 10
    score = scores_of(run.parent, "evaluate-final")["benchmarks"]["tiny_math"]["avg_at_k"]
    assert by_name["evaluate-final", "evaluate/tiny_math/avg_at_k", None] == score
    curve = [r for r in rows if r["name"] == "train/entropy"]
    assert [r["x"] for r in curve] == list(range(1, 41))
    assert ("train-2", "time/rollout_s", 21) in by_name and ("train-1", "dev/accuracy", 10) in by_name


def test_numbers_of_the_result_sentence(run):
    steps = read_steps(run)
    base, final = (scores_of(run.parent, s)["benchmarks"]["tiny_math"] for s in ("evaluate-base", "evaluate-final"))
    difference = 100 * (final["avg_at_k"] - base["avg_at_k"])
    assert 100 * gains(steps)["tiny_math"]["gain"] == pytest.approx(difference)
    said = result_sentence(steps)
    assert f"tiny_math from {100 * base['avg_at_k']:.1f} to {100 * final['avg_at_k']:.1f} %" in said
    assert f"({difference:+.1f} points" in said
    assert [e.label for e in evaluations(steps)] == ["base", "stage 1", "final"]


def test_training_rows_are_one_axis_even_when_a_stage_starts_again(run, tmp_path):
    steps = read_steps(run)
    rows, boundaries = joined_rows(steps)
    assert [r["x"] for r in rows] == list(range(1, 41)) and boundaries == [20.5]
    second = next(s for s in steps if s.step == "train-1")
    again, boundaries = joined_rows([second, second])
    assert [r["x"] for r in again] == list(range(1, 41)) and boundaries == [20.5]
    assert entropy_target(steps) == 0.2


def test_lineage_picture_links_steps_by_digest(run):
    steps = read_steps(run)
    parents = parents_of(steps)
    assert parents["dedup"] == ["answers", "validate_tests"]
    assert parents["train-2"] == ["mix", "train-1"]
    nodes = nodes_of(steps)
    assert nodes["filter"].parents == ("ingest",) and nodes["ingest"].label == "ingest × 3"
    depth = depths(nodes)
    assert all(depth[p] < depth[n.name] for n in nodes.values() for p in n.parents)
    for row in arrange(nodes, depth):
        places = sorted(row.items(), key=lambda item: item[1])
        for (left, x1), (right, x2) in zip(places, places[1:], strict=False):
            half = (112 if left[1] else 4) / 2 + (112 if right[1] else 4) / 2
            assert x2 - x1 >= half  # nothing overlaps


def test_sources_add_up(run):
    counts = source_counts(run / "steps" / "filter" / "kept.parquet")
    assert counts.total() == 71 and set(counts) == {"numinamath", "deepscaler", "taco"}
    assert source_counts(None).total() == 0


def test_markup_escapes_everything_but_markup():
    assert element("p", "<b>", class_='"x"') == '<p class="&quot;x&quot;">&lt;b&gt;</p>'
    assert element("p", element("b", "&"), None, ["<", 1]) == "<p><b>&amp;</b>&lt;1</p>"
    assert element("line", x1=1.25, aria_label="a") == '<line x1="1.2" aria-label="a"/>'
    assert escape("a\x00b\ud800") == "a\ufffdb?" and isinstance(escape("x"), Markup)
    assert shorten("abcdef", 3) == "abc … (3 more characters)"


@pytest.mark.parametrize(
    "low,high,expected",
    [(0, 1, [0, 0.25, 0.5, 0.75, 1]), (0.31, 0.36, [0.3, 0.32, 0.34, 0.36]), (-2, 3, [-2, 0, 2, 4]), (5, 5, None)],
)
def test_ticks_are_round_and_cover_the_range(low, high, expected):
    values = ticks(low, high)
    assert values[0] <= low and values[-1] >= high
    if expected:
        assert values == pytest.approx(expected)


def test_metric_names_and_numbers():
    assert metric_name("dedup", "rows_in") == "dedup/rows_in"
    assert metric_name("train", "train/loss") == "train/loss" and metric_name("train", "dev/accuracy") == "dev/accuracy"
    values = {"a": 1, "b": {"c": True, "d": float("nan")}, "e": "text", "f": None}
    assert flat_numbers(values) == {"a": 1.0, "b/c": 1.0}


def test_written_page_does_not_depend_on_when_it_was_written(run, tmp_path):
    write_report(run, tmp_path / "again.html")
    assert (tmp_path / "again.html").read_bytes() == Path(run / "report.html").read_bytes()
