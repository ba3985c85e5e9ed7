"""Settings of the verifier, and the version that every graded table carries."""

from pydantic import Field

from components.core.config import StrictConfig

VERIFIER_VERSION = "or1-verify-1"
"""Changes whenever a verdict could change; stored beside pass rates and scores."""


class VerifierConfig(StrictConfig):
    """How responses are graded: pool size, limits, and the rules for what counts as an answer."""

    num_workers: int = Field(default=2, ge=0)
    """Grading slots (each owns one math worker and one sandbox, both started when first needed). 0 = one per CPU;
    never more than the CPUs there are."""
    require_box: bool = False
    """Accept only an answer in \\boxed{} (or \\fbox{}); else the plain final answer counts too."""
    truncated_is_wrong: bool = True
    """A response that hit the token limit is wrong where a thinking section is required (paper). False = the released
    code's behaviour: whatever can be extracted is graded, the whole text where the section was never closed."""
    max_response_chars: int = Field(default=2_000_000, ge=1)
    """Responses longer than this are wrong without a look."""
    max_answer_chars: int = Field(default=2_000, ge=1)
    """Extracted math answers longer than this are wrong (a gold can be longer only by exact string match)."""
    max_program_chars: int = Field(default=200_000, ge=1)
    """Programs longer than this are wrong."""
    math_timeout_s: float = Field(default=10.0, gt=0)
    """CPU seconds for one symbolic comparison; then its worker is killed and the answer is wrong. (On a quiet machine
    that is wall clock; on a busy one the wall clock may be up to 20 times as long, then it is an infra_error.)"""
    math_memory_limit_mb: int = Field(default=4096, ge=512)
    """Address space of one math worker."""
    test_timeout_s: float = Field(default=6.0, gt=0)
    """CPU seconds for one test of a program (a test set's own `time_limit_s` wins). LiveCodeBench uses 6."""
    wall_clock_factor: float = Field(default=2.0, ge=1)
    """A test is killed after this many times its CPU limit of wall clock, plus one second; time spent waiting for a
    CPU on a busy machine is not counted."""
    item_timeout_s: float = Field(default=120.0, gt=0)
    """Wall-clock seconds for all tests of one program."""
    memory_limit_mb: int = Field(default=2048, ge=64)
    """Address space that one program may add to the interpreter's own (a test set's `memory_limit_mb` wins)."""
    output_limit_mb: int = Field(default=16, ge=1)
    """Largest file or output stream of a program, and largest returned value."""
    process_limit: int = Field(default=64, ge=1)
    """Processes and threads one program may have at a time."""
    stop_at_first_failure: bool = True
    """Leave the remaining tests of a program out once one failed (they are reported as not_run)."""
    isolate_function_calls: bool = False
    """Run every function call or assertion in a process of its own instead of one process for all of an item."""
    float_tolerance: float = Field(default=0.0, ge=0)
    """Relative and absolute tolerance when numbers in outputs are compared. 0 = exactly, as LiveCodeBench does."""
    infra_retries: int = Field(default=1, ge=0)
    """Times an item is tried again in a fresh worker after a failure that is ours."""
