"""The trainer's ranks as Ray actors: start, calls with deadlines, and errors that say which phase failed."""

import logging
import os
import socket
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from components.core.errors import InfraError, Or1Error
from components.train.batch import Layout, MicroBatch
from components.train.config import TrainConfig
from components.train.loss import LossSettings

log = logging.getLogger(__name__)
Arrays = dict[str, np.ndarray]
POLL_S = 5.0


class TrainerRank:
    """What one actor runs: a process group member with its part of the policy."""

    def __init__(self, rank: int, config_json: str) -> None:
        self.rank = rank
        self.config = TrainConfig.parse(config_json)

    def address(self) -> str:
        """A free port on this rank's machine, where the ranks will meet."""
        import ray

        host = ray.util.get_node_ip_address()
        with socket.socket() as probe:
            probe.bind(("", 0))
            return f"tcp://{host}:{probe.getsockname()[1]}"

    def start(self, address: str, model_folder: str, layout: Layout) -> None:
        """Join the others and load the model. Raises DataError."""
        import torch
        import torch.distributed as dist

        if "127.0.0.1" in address:
            os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
        torch.set_num_threads(self.config.threads_per_rank)
        backend = "nccl" if torch.cuda.is_available() else "gloo"
        dist.init_process_group(
            backend, init_method=address, rank=self.rank, world_size=self.config.num_trainer_ranks,
            timeout=timedelta(seconds=self.config.update_timeout_s),
        )  # fmt: skip
        from components.train.policy import Policy

        self.policy = Policy(Path(model_folder), self.config, layout)

    def logprobs(self, micros: Sequence[MicroBatch]) -> list[list[np.ndarray]]:
        return self.policy.logprobs(micros)

    def update(self, micros: Sequence[MicroBatch], settings: LossSettings) -> dict[str, float]:
        return self.policy.update(micros, settings)

    def weights(self) -> Arrays:
        return self.policy.weights()

    def optimizer_state(self) -> Arrays:
        return self.policy.optimizer_state()

    def load(self, weights: Arrays, optimizer: Arrays) -> None:
        self.policy.load(weights, optimizer)


class TrainerRanks:
    """All ranks, called together. The actors start in the background; `wait_ready` waits for them."""

    def __init__(self, config: TrainConfig, model_folder: Path) -> None:
        import ray
        import torch

        self.config = config
        threads = str(config.threads_per_rank)
        # Spinning threads make each other slow where there are more of them than cores.
        variables = {"OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads, "OMP_WAIT_POLICY": "PASSIVE"}
        options: dict[str, Any] = {"num_cpus": 0, "runtime_env": {"env_vars": variables}, "max_restarts": 0}
        self.layout: Layout = "padded"
        if torch.cuda.is_available():
            options["num_gpus"] = config.gpus_per_rank
            self.layout = "packed"
        if config.layout != "auto":
            self.layout = config.layout
        actor: Any = ray.remote(TrainerRank).options(**options)
        self.ranks: list[Any] = [actor.remote(rank, config.to_json()) for rank in range(config.num_trainer_ranks)]
        self._model_folder = str(model_folder.resolve())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def wait_ready(self) -> None:
        """Raises InfraError when the ranks don't come up in time, DataError when the model can't be loaded."""
        timeout = self.config.start_timeout_s
        address = wait_for("start of the trainer", [self.ranks[0].address.remote()], timeout)[0]
        starts = [rank.start.remote(address, self._model_folder, self.layout) for rank in self.ranks]
        wait_for("loading of the model by the trainer", starts, timeout)

    def logprobs(self, micros: Sequence[Sequence[MicroBatch]]) -> list[list[list[np.ndarray]]]:
        """Rank -> micro-batch -> sequence -> the policy's log-probs of its response tokens."""
        calls = [rank.logprobs.remote(mine) for rank, mine in zip(self.ranks, micros, strict=True)]
        return wait_for("old log-probs", calls, self.config.update_timeout_s)

    def update(self, micros: Sequence[Sequence[MicroBatch]], settings: LossSettings) -> dict[str, float]:
        """One optimizer update; sums over all ranks (see policy.Policy.update)."""
        calls = [rank.update.remote(mine, settings) for rank, mine in zip(self.ranks, micros, strict=True)]
        result: dict[str, float] = wait_for("update", calls, self.config.update_timeout_s)[0]
        return result

    def weights(self) -> Arrays:
        """Whole weights by Hugging Face name, float32."""
        return self._from_first("weights")

    def optimizer_state(self) -> Arrays:
        return self._from_first("optimizer_state")

    def _from_first(self, method: str) -> Arrays:
        calls = [getattr(rank, method).remote() for rank in self.ranks]
        arrays: Arrays = wait_for(f"gathering of {method}", calls, self.config.update_timeout_s)[0]
        # What comes out of Ray's store is read-only, which torch warns about.
        return {name: array.copy() for name, array in arrays.items()}

    def load(self, weights: Arrays, optimizer: Arrays) -> None:
        import ray

        shared = [ray.put(weights), ray.put(optimizer)]
        calls = [rank.load.remote(*shared) for rank in self.ranks]
        wait_for("loading of a checkpoint by the trainer", calls, self.config.update_timeout_s)

    def close(self) -> None:
        import ray

        for rank in self.ranks:
            ray.kill(rank)
        self.ranks = []


def wait_for(phase: str, calls: Sequence[Any], timeout_s: float) -> list[Any]:
    """Results of Ray calls, in order. The first failure ends the wait, for the other ranks may be stuck in a
    collective. Raises the call's own Or1Error, else InfraError naming the phase."""
    import ray

    deadline = time.monotonic() + timeout_s
    waiting = list(calls)
    while waiting:
        done, waiting = ray.wait(waiting, timeout=POLL_S)
        try:
            ray.get(done)
        except ray.exceptions.RayTaskError as error:
            cause = getattr(error, "cause", None)
            if isinstance(cause, Or1Error):
                raise type(cause)(str(cause)) from error
            raise InfraError(f"{phase} failed in a trainer rank: {cause or error}") from error
        except ray.exceptions.RayError as error:
            raise InfraError(
                f"{phase}: a trainer rank died ({type(error).__name__}); run again to continue from the last checkpoint"
            ) from error
        if waiting and time.monotonic() > deadline:
            raise InfraError(f"{phase}: {len(waiting)} trainer ranks did not finish within {timeout_s:.0f} s")
    results: list[Any] = ray.get(list(calls))
    return results
