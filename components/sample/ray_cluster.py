"""A local Ray, quiet and on loopback only, or the cluster that is already there."""

import logging
import os
import secrets
import time

from components.core.errors import InfraError

log = logging.getLogger(__name__)

OBJECT_STORE_BYTES = 150_000_000
"""What passes through the store locally are prompts, samples and a small model's weights."""
START_ATTEMPTS = 3
_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_DEDUP_LOGS": "0",
}
_LOOPBACK_VARIABLE = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
"""Despite its name, 0 makes Ray use the loopback address on Linux too, as it does on a desktop system."""
_TOKEN_VARIABLES = ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")


def start_ray(num_cpus: int | None = None) -> None:
    """Connect to the cluster of `RAY_ADDRESS`, or start one here; nothing when this process has one. About 4 seconds.

    Token authentication is on: a token of the environment is used, else a fresh one that lives in this process'
    environment (Ray's own default would write it into the home folder). Raises InfraError.
    """
    _configure_environment()
    import ray

    if ray.is_initialized():
        return
    started = time.monotonic()
    for attempt in range(1, START_ATTEMPTS + 1):
        try:
            _init(num_cpus)
            break
        except Exception as error:  # Ray raises a bare Exception when a daemon isn't up within its fixed 15 seconds
            ray.shutdown()
            if attempt == START_ATTEMPTS or os.environ.get("RAY_ADDRESS"):
                raise InfraError(f"Ray could not be started or reached ({error})") from error
            log.warning("Ray did not come up (attempt %d of %d: %s)", attempt, START_ATTEMPTS, error)
    log.info("Ray is ready after %.1f s", time.monotonic() - started)


def _init(num_cpus: int | None) -> None:
    import ray

    if address := os.environ.get("RAY_ADDRESS"):
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
        return
    ray.init(
        num_cpus=num_cpus or os.cpu_count(),
        object_store_memory=OBJECT_STORE_BYTES,
        include_dashboard=False,
        log_to_driver=False,
        logging_level=logging.ERROR,
    )


def stop_ray() -> None:
    """Leave the cluster; a local one ends."""
    import ray

    if ray.is_initialized():
        ray.shutdown()


def cluster_environment() -> dict[str, str]:
    """Environment variables with which other processes join the cluster of this one (see `start_ray`), so that one
    cluster serves all steps of a run. Never log them: the token is in there."""
    import ray

    inherited = (*_TOKEN_VARIABLES, _LOOPBACK_VARIABLE)
    variables = {name: os.environ[name] for name in inherited if name in os.environ}
    return {**variables, **_QUIET, "RAY_ADDRESS": ray.get_runtime_context().gcs_address}


def _configure_environment() -> None:
    logging.getLogger("ray").setLevel(logging.ERROR)
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    if os.environ.get("RAY_ADDRESS"):
        return
    os.environ.setdefault(_LOOPBACK_VARIABLE, "0")
    if not any(os.environ.get(name) for name in _TOKEN_VARIABLES):
        # ray.init turns token mode on by itself; were it set here, a Ray that is already imported wouldn't see it.
        os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
