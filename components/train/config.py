"""Settings of one training stage. Defaults: Skywork-OR1-7B stage 1 (paper table 11, released scripts)."""

from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from components.core.config import StrictConfig
from components.sample.config import SamplerConfig
from components.text.config import PromptConfig
from components.verify.config import VerifierConfig


class EntropyConfig(StrictConfig):
    """The entropy bonus and its controller (paper section 4, equation 3.2)."""

    mode: Literal["adaptive", "fixed", "off"] = "adaptive"
    """`adaptive` moves the coefficient towards the target; `fixed` keeps `initial`; `off` has no bonus."""
    target: float = Field(0.2, ge=0.0)
    """Entropy (nats a token) below which the coefficient grows and the bonus acts."""
    delta: float = Field(1e-4, ge=0.0)
    """Change of the coefficient a step. The released scripts say 0.0001, the paper's text 0.005."""
    initial: float = Field(0.0, ge=0.0)
    """Coefficient at the first step of the first stage."""
    maximum: float = Field(0.005, ge=0.0)
    """The coefficient stays within 0 and this."""
    gate: Literal["current", "previous"] = "current"
    """`current`: the bonus acts when this step's entropy is at most the target, and the coefficient stays put at
    equality (the paper). `previous`: the last step's entropy decides, strictly below, and equality lowers the
    coefficient (the released code)."""


class ValidationConfig(StrictConfig):
    """Accuracy on held-out problems during training: some of the training problems, never a benchmark's."""

    every_steps: int = Field(20, ge=0)
    """Validate after every so many steps and after the last one; 0 never."""
    num_problems: int = Field(128, ge=1)
    """Most held-out problems that are sampled. Which ones are held out is the mix stage's `development` mark; in a
    table without marks this many are put aside by hash of their id, the same in all stages of a run."""
    num_samples: int = Field(8, ge=1)
    """Samples for each held-out problem."""


class TrainConfig(StrictConfig):
    """One stage of MAGIC training."""

    stage_index: int = Field(1, ge=1)
    """Number of the stage, from 1; set by the recipe."""
    stage_name: str = ""
    """Name of the stage in logs; empty is `stage-N`."""
    seed: int = 1
    """Decides batches, held-out problems and sampling."""

    num_steps: int = Field(660, ge=0)
    """Steps of this stage."""
    num_prompts: int = Field(256, ge=1)
    """Prompts of a step."""
    group_size: int = Field(16, ge=2)
    """Samples for each prompt."""
    num_updates: int = Field(1, ge=1)
    """Optimizer updates of a step (mini-batches of num_prompts / num_updates prompts). 1 is on-policy."""
    max_prompt_tokens: int = Field(2048, ge=1)
    """Problems with a longer prompt are left out."""
    max_response_tokens: int = Field(16384, ge=1)
    """Context of the stage: a response is cut here."""
    temperature: float = Field(1.0, gt=0.0)
    """Of sampling and of every log-probability in the loss."""

    learning_rate: float = Field(1e-6, ge=0.0)
    """Constant, no warm-up."""
    weight_decay: float = Field(0.01, ge=0.0)
    """AdamW's decoupled weight decay."""
    betas: tuple[float, float] = (0.9, 0.999)
    """AdamW's moment decay rates."""
    max_gradient_norm: float = Field(1.0, gt=0.0)
    """The gradient's global norm is clipped here."""

    clip_low: float = Field(0.2, ge=0.0, lt=1.0)
    """The probability ratio is clipped below 1 - clip_low."""
    clip_high: float = Field(0.2, ge=0.0)
    """The probability ratio is clipped above 1 + clip_high."""
    kl_coefficient: float = Field(0.0, ge=0.0)
    """Weight of the divergence from this stage's input model; 0 loads no reference model."""
    kl_estimator: Literal["k1", "k2", "k3"] = "k3"
    """Estimator of the divergence (Schulman 2020)."""
    aggregation: Literal["token_mean", "released"] = "token_mean"
    """`token_mean`: one mean over all tokens of the kept groups (paper equation 3.1). `released`: what Skywork's code
    computes, micro-batch means weighted by their share of the nominal mini-batch."""
    entropy: EntropyConfig = EntropyConfig.parse({})
    """The entropy bonus."""

    reject_zero_advantage: bool = True
    """Groups without a non-zero advantage leave the batch."""
    truncation_mask: Literal["none", "before", "after"] = "none"
    """Truncated responses count as wrong (`none`), leave the group before its baseline is computed (`before`), or get
    advantage 0 after it (`after`); paper section 3.2.3."""
    masked_tokens_in_mean: bool = False
    """With a truncation mask: whether tokens of masked responses stay in the token count and the entropy bonus."""
    drop_solved: bool = True
    """At the stage's start leave out problems whose last visit in `exposures_before` was solved by every sample."""

    validation: ValidationConfig = ValidationConfig.parse({})
    """Held-out accuracy during training."""
    select: Literal["last", "best"] = "last"
    """Which weights the stage hands on: the last, or the best validated ones (the earliest of equals)."""

    num_trainer_ranks: int = Field(1, ge=1)
    """FSDP2 ranks, each a Ray actor with a GPU of its own (or CPU threads)."""
    gpus_per_rank: float = Field(1.0, gt=0.0, le=1.0)
    """Share of a GPU that Ray counts for a rank; less than 1 lets an engine live on the same GPU."""
    threads_per_rank: int = Field(1, ge=1)
    """CPU threads of each rank."""
    max_tokens_per_micro_batch: int = Field(32768, ge=1)
    """Tokens of one forward pass, padding counted; a longer sequence gets a micro-batch of its own."""
    layout: Literal["auto", "padded", "packed"] = "auto"
    """`packed` puts sequences one after the other in one row, `padded` one in a row, sorted by length. Both are exact.
    `auto`: packed on a GPU, padded on a CPU (where the causal kernel without a mask is faster)."""
    head_chunk_tokens: int = Field(2048, ge=1)
    """Tokens whose logits exist at the same time."""
    compute_dtype: Literal["auto", "float32", "bfloat16"] = "auto"
    """Of the forward and backward pass; weights and gradients are float32. `auto`: bfloat16 on a GPU."""
    activation_checkpointing: bool = False
    """Recompute activations in the backward pass: less memory, a third more time."""
    reshard_after_forward: bool = True
    """FSDP: free gathered weights between forward and backward; false is faster and needs more memory."""
    defer_gradient_sync: bool = False
    """FSDP: reduce gradients once an update and not once a micro-batch; faster, keeps whole gradients on each rank."""
    start_timeout_s: float = Field(900.0, gt=0.0)
    """Trainer ranks that aren't ready by then count as failed."""
    update_timeout_s: float = Field(7200.0, gt=0.0)
    """An update, or a gathering of weights, that isn't done by then counts as failed."""
    max_infra_error_share: float = Field(0.2, ge=0.0, le=1.0)
    """The stage stops when more of a step's samples than this could not be graded."""

    checkpoint_every_steps: int = Field(20, ge=1)
    """A checkpoint for resuming after every so many steps (needs checkpoint_root)."""
    checkpoint_root: Path | None = None
    """Folder of the checkpoints; None takes the environment variable OR1_CHECKPOINTS, without it there are none."""
    keep_checkpoints: int = Field(2, ge=1)
    """Older checkpoints are deleted."""

    sampler: SamplerConfig = SamplerConfig.parse({})
    """Engines of the rollouts."""
    prompt: PromptConfig = PromptConfig.parse({})
    """What stands around a problem's text."""
    verifier: VerifierConfig = VerifierConfig.parse({})
    """How responses are graded."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.num_prompts % self.num_updates:
            raise ValueError(f"num_updates ({self.num_updates}) must divide num_prompts ({self.num_prompts})")
        if self.entropy.initial > self.entropy.maximum and self.entropy.mode == "adaptive":
            raise ValueError("entropy.initial must not exceed entropy.maximum")
        if self.select == "best" and not self.validation.every_steps:
            raise ValueError("select 'best' needs validation.every_steps above 0")
        return self

    @property
    def label(self) -> str:
        """The stage's name in logs."""
        return self.stage_name or f"stage-{self.stage_index}"
