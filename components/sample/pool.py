"""A pool of engines, one in each Ray actor, that looks like one engine. Or, with num_workers 0, one right here.

The result doesn't depend on the number of workers (see engine.py). A worker that dies or misses a deadline is
replaced once for each piece of work; then the pool gives up with InfraError.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from components.core.errors import InfraError
from components.sample.catalog import WITHOUT_WORKERS, choose_engine, make_engine
from components.sample.config import SamplerConfig
from components.sample.engine import Engine, Sample, SamplingParameters
from components.sample.engine_actor import Worker, WorkerLost

log = logging.getLogger(__name__)


class EnginePool:
    """See `Engine`. Use as a context manager or call `close`. Starts Ray when it needs it and none is there."""

    def __init__(self, config: SamplerConfig, model_folder: Path, max_model_tokens: int) -> None:
        name, reason = choose_engine(config, model_folder)
        # Settled here once, so that all workers have the same engine.
        self.config = config.model_copy(update={"engine": name})
        self.folder, self.max_model_tokens = model_folder, max_model_tokens
        self.local: Engine | None = None
        self.workers: list[Worker] = []
        self._weights: Any = None
        if config.num_workers == 0 or name in WITHOUT_WORKERS:
            self.local = make_engine(config, model_folder, max_model_tokens)
            return
        started = time.monotonic()
        self._start_workers()
        log.info("%d %s engine(s) ready after %.1f s (%s)", len(self.workers), name, time.monotonic() - started, reason)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def num_workers(self) -> int:
        return max(1, len(self.workers))

    def generate(
        self, prompts: Sequence[str], seeds: Sequence[int], n: int, parameters: SamplingParameters
    ) -> list[list[Sample]]:
        """Raises what the engines raise, and InfraError when a worker is lost twice."""
        if self.local:
            return self.local.generate(prompts, seeds, n, parameters)
        shares = split_evenly([len(p) for p in prompts], len(self.workers))
        calls: dict[int, Callable[[Worker], Any]] = {}
        for number, share in enumerate(shares):
            part = ([prompts[i] for i in share], [seeds[i] for i in share], n, parameters)
            if share:
                calls[number] = _generate_call(part)
        results = self._run(calls, "sample", self.config.sample_timeout_s)
        samples: list[list[Sample]] = [[] for _ in prompts]
        for number, drawn in results.items():
            for i, row in zip(shares[number], drawn, strict=True):
                samples[i] = row
        return samples

    def load_weights(self, state: Mapping[str, Any]) -> None:
        if self.local:
            self.local.load_weights(state)
            return
        import ray
        import torch

        # Tensors, since arrays that come out of Ray's store are read-only. Put once, read by every worker.
        self._weights = ray.put({name: torch.as_tensor(value).detach().cpu() for name, value in state.items()})
        calls: dict[int, Callable[[Worker], Any]] = {
            number: lambda worker: worker.actor.load_weights.remote(self._weights)
            for number in range(len(self.workers))
        }
        self._run(calls, "load weights", self.config.sync_timeout_s, resend=False)

    def close(self) -> None:
        if self.local:
            self.local.close()
        for worker in self.workers:
            worker.kill()
        self.workers, self.local = [], None

    def _start_workers(self) -> None:
        from components.sample.ray_cluster import start_ray

        start_ray()
        import ray

        gpus = int(ray.cluster_resources().get("GPU", 0))
        cpus = int(ray.cluster_resources().get("CPU", 1))
        count = self.config.num_workers or gpus or max(1, cpus // self.config.threads_per_worker)
        # Never more CPUs than are free now: a request that can't be met would wait for ever.
        free = ray.available_resources().get("CPU", 0.0)
        num_cpus = min(float(self.config.threads_per_worker), int(100 * free / count) / 100)
        self._share = {"num_cpus": num_cpus, "num_gpus": min(1.0, gpus / count)}
        self.workers = [self._new_worker(number) for number in range(count)]
        for number in range(count):
            self._wait_ready(number)

    def _new_worker(self, number: int) -> Worker:
        return Worker(number, self.config, self.folder, self.max_model_tokens, self._share)

    def _wait_ready(self, number: int) -> None:
        try:
            self.workers[number].wait_ready()
        except WorkerLost as error:
            self.close()
            raise InfraError(f"sampling pool: {error}; see its log in Ray's own logs") from error

    def _run(
        self, calls: Mapping[int, Callable[[Worker], Any]], phase: str, timeout_s: float, resend: bool = True
    ) -> dict[int, Any]:
        """Make every worker's call at the same time; replace a lost worker and make its call once more."""
        deadline = time.monotonic() + timeout_s
        references = {number: call(self.workers[number]) for number, call in calls.items()}
        results, lost = {}, []
        for number, reference in references.items():
            try:
                remaining = max(0.0, deadline - time.monotonic())
                results[number] = self.workers[number].result(reference, phase, remaining)
            except WorkerLost as error:
                log.warning("sampling pool: %s; replacing it", error)
                lost.append(number)
        for number in lost:
            results[number] = self._again(number, calls[number], phase, timeout_s, resend)
        return results

    def _again(self, number: int, call: Callable[[Worker], Any], phase: str, timeout_s: float, resend: bool) -> Any:
        self.workers[number].kill()
        worker = self.workers[number] = self._new_worker(number)
        try:
            worker.wait_ready()
            if resend and self._weights is not None:
                reference = worker.actor.load_weights.remote(self._weights)
                worker.result(reference, "load weights", self.config.sync_timeout_s)
            return worker.result(call(worker), phase, timeout_s)
        except WorkerLost as error:
            raise InfraError(f"sampling pool: {error}, and it was a replacement already") from error


def _generate_call(part: tuple[Any, ...]) -> Callable[[Worker], Any]:
    return lambda worker: worker.actor.generate.remote(*part)


def split_evenly(lengths: Sequence[int], num_parts: int) -> list[list[int]]:
    """Indices for each part, ascending, with nearly equal sums: longest first into the lightest part."""
    parts: list[list[int]] = [[] for _ in range(num_parts)]
    loads = [0] * num_parts
    for i in sorted(range(len(lengths)), key=lambda i: (-lengths[i], i)):
        lightest = loads.index(min(loads))
        parts[lightest].append(i)
        loads[lightest] += lengths[i] + 1
    return [sorted(part) for part in parts]
