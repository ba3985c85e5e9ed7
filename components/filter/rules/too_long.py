"""The prompt is longer than the model may be given (released settings: 2048 tokens with the chat template)."""

from dataclasses import replace
from functools import lru_cache
from math import ceil
from typing import Any

from components.core.errors import ConfigError
from components.core.records import Problem
from components.filter.config import FilterConfig
from components.filter.rule import Rule, code, math
from components.text.prompt import chat_prompt, user_message

TEMPLATE_TOKENS = 16
"""Allowance for the chat template when no tokenizer counts."""


def check(problem: Problem, config: FilterConfig) -> str | None:
    chars = len(problem.statement)
    if config.max_statement_chars and chars > config.max_statement_chars:
        return f"{chars} characters, limit {config.max_statement_chars}"
    tokens = prompt_tokens(problem, config)
    if tokens <= config.max_prompt_tokens:
        return None
    return f"{tokens} prompt tokens{'' if config.tokenizer else ' (estimated)'}, limit {config.max_prompt_tokens}"


def prompt_tokens(problem: Problem, config: FilterConfig) -> int:
    """Tokens of the whole prompt. Raises ConfigError when the tokenizer folder cannot be read."""
    message = user_message(problem, config.prompt)
    if not config.tokenizer:
        return ceil(len(message.encode("utf-8", "surrogatepass")) / config.bytes_per_token) + TEMPLATE_TOKENS
    tokenizer = _load_tokenizer(config.tokenizer)
    return len(tokenizer.encode(chat_prompt(tokenizer, message), add_special_tokens=False))


@lru_cache(maxsize=2)
def _load_tokenizer(folder: str) -> Any:
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError) as error:
        raise ConfigError(f"filter: setting 'tokenizer': {folder} holds no readable tokenizer ({error})") from error


_CONFIG = FilterConfig(max_prompt_tokens=300, max_statement_chars=600)
_LONG = "Add 1 to it. " * 46  # 598 characters

RULE = Rule(
    "too_long",
    ("math", "code"),
    check,
    kept=(math(_LONG), code("Double it.")),
    dropped=(math(_LONG + _LONG), math("é" * 599), replace(code("Double it."), starter_code="x = 1\n" * 200)),
    config=_CONFIG,
)
