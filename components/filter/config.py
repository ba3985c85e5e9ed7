"""Settings of the filter stage."""

from typing import Literal

from pydantic import Field

from components.core.config import StrictConfig
from components.text.config import PromptConfig

RuleName = Literal[
    "empty_statement", "marked_invalid", "external_url", "figure_reference", "translator_note", "repeated_statement",
    "answer_in_statement", "missing_reference", "multiple_choice", "multi_part", "proof", "yes_no", "empty_answer",
    "non_verifiable_answer", "tests_empty", "tests_broken", "missing_entry_point", "interactive", "special_judge",
    "too_long",
]  # fmt: skip


class FilterConfig(StrictConfig):
    """Which rules run, and their limits. Paper, section 6.1: verifiable, correct, challenging; no URL, no figure."""

    disabled: tuple[RuleName, ...] = ()
    """Rules that do not run."""
    max_prompt_tokens: int = Field(default=2048, ge=1)
    """Longest prompt, chat template included (paper: longer prompts are not used)."""
    tokenizer: str = ""
    """Folder of a tokenizer with a chat template that counts prompt tokens; empty to estimate from bytes."""
    bytes_per_token: float = Field(default=2.5, gt=0)
    """Without a tokenizer: UTF-8 bytes of the prompt per token, a low figure so that nothing too long stays."""
    max_statement_chars: int = Field(default=0, ge=0)
    """Longest statement in characters; 0 for no such limit (models with byte-level tokenizers set one)."""
    max_answer_chars: int = Field(default=200, ge=1)
    """Longest answer that counts as verifiable."""
    max_answer_words: int = Field(default=5, ge=1)
    """Most prose words in an answer that counts as verifiable; LaTeX macros are not words."""
    prompt: PromptConfig = PromptConfig()
    """The prompt whose length counts."""
