"""One engine in a Ray actor of its own: started, given work under a deadline, and replaced when it dies."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from components.core.errors import InfraError, Or1Error
from components.sample.config import SamplerConfig
from components.sample.engine import Sample, SamplingParameters

log = logging.getLogger(__name__)


class EngineActor:
    """What runs inside the actor."""

    def __init__(self, config: SamplerConfig, model_folder: str, max_model_tokens: int) -> None:
        import torch

        from components.sample.catalog import make_engine

        torch.set_num_threads(config.threads_per_worker)
        self.engine = make_engine(config, Path(model_folder), max_model_tokens)

    def ready(self) -> bool:
        return True

    def generate(
        self, prompts: Sequence[str], seeds: Sequence[int], n: int, parameters: SamplingParameters
    ) -> list[list[Sample]]:
        return self.engine.generate(prompts, seeds, n, parameters)

    def load_weights(self, state: Mapping[str, Any]) -> None:
        self.engine.load_weights(state)


class WorkerLost(Exception):
    """A worker died or missed its deadline; its work may be given to another."""


class Worker:
    """The handle of one actor."""

    def __init__(self, number: int, config: SamplerConfig, folder: Path, max_model_tokens: int, share: Any) -> None:
        """`share`: Ray resources of the actor, num_cpus and num_gpus. Starting goes on in the background."""
        import ray

        self.number, self.config = number, config
        threads = str(config.threads_per_worker)
        variables = {"OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads, "TOKENIZERS_PARALLELISM": "false"}
        actor: Any = ray.remote(EngineActor).options(max_restarts=0, runtime_env={"env_vars": variables}, **share)
        self.actor: Any = actor.remote(config, str(folder.resolve()), max_model_tokens)

    def wait_ready(self) -> None:
        self.result(self.actor.ready.remote(), "start", self.config.start_timeout_s)

    def result(self, reference: Any, phase: str, timeout_s: float) -> Any:
        """The result of a call. Raises WorkerLost, or the engine's own error."""
        import ray
        from ray.exceptions import GetTimeoutError, RayActorError, RayTaskError

        try:
            return ray.get(reference, timeout=timeout_s)
        except GetTimeoutError as error:
            raise WorkerLost(f"worker {self.number} did not {phase} within {timeout_s:.0f} s") from error
        except RayActorError as error:
            if isinstance(cause := getattr(error, "cause", None), Or1Error):
                raise cause from error
            raise WorkerLost(f"worker {self.number} died in phase '{phase}' ({str(error).splitlines()[-1]})") from error
        except RayTaskError as error:
            cause = error.cause
            if isinstance(cause, Or1Error) and not isinstance(cause, InfraError):
                raise cause from error
            raise WorkerLost(f"worker {self.number} failed in phase '{phase}': {cause!r}") from error

    def kill(self) -> None:
        import ray

        ray.kill(self.actor)
