"""Compare every row of the pool with every benchmark problem of its domain.

Wording is compared by n-grams in which names do not matter; whether it is the same problem is decided by the given
numbers and the answer. Answers of AIME are whole numbers from 0 to 999, so an equal answer alone says nothing.
"""

import logging
import time
from collections.abc import Sequence

import numpy as np

from components.core.records import Problem
from components.decontaminate.config import DecontaminateConfig
from components.decontaminate.coverage import CoverageIndex
from components.decontaminate.finding import Finding, renamed
from components.decontaminate.wording import content_words, renamed_ngrams, wording
from components.text.agreement import agreeing_tests
from components.text.embeddings import Encoder
from components.text.numbers import answer_key, given_numbers, share_in_order, share_of_numbers, without_drawings
from components.verify.math_answers import answers_equal

log = logging.getLogger(__name__)

PROGRESS_INTERVAL_S = 10.0
MIN_CLOSE_COVERAGE = 0.1
"""From this coverage on, unequal answer keys are compared by the verifier too."""

MIN_LONG_NUMBERS = 2
"""With fewer given numbers of two digits or more, all numbers must agree: small ones are everywhere."""


class Matcher:
    """Finds the rows of one pool (N problems of one domain) that repeat one of B benchmark problems."""

    def __init__(self, problems: Sequence[Problem], benchmarks: Sequence[Problem], config: DecontaminateConfig) -> None:
        self.problems, self.benchmarks, self.config = problems, benchmarks, config
        texts = [wording(b.statement) for b in benchmarks]
        self.grams = CoverageIndex([set(renamed_ngrams(t, config.ngram_tokens)) for t in texts])
        self.words = CoverageIndex([set(content_words(t)) for t in texts])
        self.numbers = [given_numbers(b.statement) for b in benchmarks]
        self.with_answer: dict[str, set[int]] = {}
        for index, benchmark in enumerate(benchmarks):
            for answer in benchmark.answers:
                self.with_answer.setdefault(answer_key(answer), set()).add(index)
        self._read()

    def _read(self) -> None:
        """Split every row into its pieces once."""
        started = last = time.monotonic()
        for done, problem in enumerate(self.problems, 1):
            words = wording(problem.statement)
            self.grams.add_row(set(renamed_ngrams(words, self.config.ngram_tokens)))
            self.words.add_row(set(content_words(words)))
            if (now := time.monotonic()) - last > PROGRESS_INTERVAL_S:
                last, speed = now, done / (now - started)
                left = (len(self.problems) - done) / speed
                log.info("decontaminate: %d of %d rows, %.0f/s, %.0f s left", done, len(self.problems), speed, left)

    def findings(self, encoder: Encoder) -> list[list[Finding]]:
        """All findings of each row."""
        found: list[list[Finding]] = []
        unsure: list[tuple[int, Finding]] = []
        for row in range(len(self.problems)):
            certain, alike = self._by_rules(row)
            found.append(certain)
            if not any(f.rule in ("benchmark_ngram", "benchmark_numbers_answer") for f in certain):
                unsure.extend((row, f) for f in alike)
        if self.config.embedding and unsure:
            for row, finding in self._by_meaning(unsure, encoder):
                found[row].append(finding)
        return found

    def _by_rules(self, row: int) -> tuple[list[Finding], list[Finding]]:
        """Findings by wording and numbers; and benchmark problems whose meaning is worth comparing."""
        config, problem = self.config, self.problems[row]
        coverage, numbers = self.grams.coverage(row), given_numbers(problem.statement)
        words = self.words.coverage(row)
        same = set().union(*(self.with_answer.get(answer_key(a), set()) for a in problem.answers))
        certain, alike = [], []
        for index in sorted(same | {i for i, c in coverage.items() if c >= MIN_CLOSE_COVERAGE}):
            held = coverage.get(index, 0.0)
            share = share_of_numbers(self.numbers[index], numbers)
            equal = index in same or (held >= MIN_CLOSE_COVERAGE and _answers_equal(problem, self.benchmarks[index]))
            finding = Finding("review", self.benchmarks[index], held, held, share, equal)
            if held >= config.review_coverage:
                certain.append(renamed(finding, self._wording_rule(row, index, held, numbers, equal), held))
            if equal and config.numbers_answer and self._numbers_agree(index, numbers, words.get(index, 0.0)):
                certain.append(renamed(finding, "benchmark_numbers_answer", share))
            if equal and share >= config.embedding_number_share:
                alike.append(finding)
        return certain, alike

    def _wording_rule(self, row: int, index: int, held: float, numbers: tuple[str, ...], equal: bool) -> str:
        """A copy has the numbers of the original in their order; with other numbers, or with tests that contradict, it
        is a variant. A copy with the same answer may also lack some numbers (a left-out table) if it has no others."""
        config, own = self.config, self.numbers[index]
        if held < config.min_coverage or not config.ngram:
            return "review"
        agree = agreeing_tests(self.problems[row].tests or {}, self.benchmarks[index].tests or {})
        if agree is not None and self.benchmarks[index].domain == "code":
            return "benchmark_ngram" if agree else "benchmark_variant"
        if not equal and len(self.grams.pieces[index]) < config.short_ngrams:
            same = held >= config.min_coverage_short and numbers == own
            return "benchmark_ngram" if same else "benchmark_variant"
        in_order = share_in_order(own, numbers)
        if equal and len(numbers) >= config.min_given_numbers:
            in_order = max(in_order, share_in_order(numbers, own))
        trusted = equal or self.benchmarks[index].domain == "code"
        return "benchmark_ngram" if in_order >= (config.min_number_share if trusted else 1.0) else "benchmark_variant"

    def _numbers_agree(self, index: int, numbers: tuple[str, ...], words: float) -> bool:
        config, own = self.config, self.numbers[index]
        if len(own) < config.min_given_numbers or len(numbers) > config.max_extra_numbers * len(own):
            return False
        telling = sum(len(number) > 1 for number in own) >= MIN_LONG_NUMBERS
        wanted = config.min_number_share if telling else 1.0
        return share_of_numbers(own, numbers) >= wanted and words >= config.min_word_share

    def _by_meaning(self, pairs: list[tuple[int, Finding]], encoder: Encoder) -> list[tuple[int, Finding]]:
        """Pairs whose nearest windows have a cosine of at least `min_cosine`."""
        texts = sorted(
            {without_drawings(t) for r, f in pairs for t in (self.problems[r].statement, f.benchmark.statement)}
        )
        log.info("decontaminate: comparing the meaning of %d pairs (%d texts)", len(pairs), len(texts))
        vectors_WD, owners_W = encoder.encode_windows(texts)
        starts = np.searchsorted(owners_W, np.arange(len(texts) + 1))
        place = {text: slice(starts[i], starts[i + 1]) for i, text in enumerate(texts)}
        close = []
        for row, finding in pairs:
            left, right = (
                place[without_drawings(t)] for t in (self.problems[row].statement, finding.benchmark.statement)
            )
            cosine = float((vectors_WD[left] @ vectors_WD[right].T).max())
            if cosine >= self.config.min_cosine:
                close.append((row, renamed(finding, "benchmark_embedding", cosine)))
        return close


def _answers_equal(problem: Problem, benchmark: Problem) -> bool:
    return any(answers_equal(gold, own) for gold in benchmark.answers for own in problem.answers)
