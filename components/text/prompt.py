"""The one prompt renderer: difficulty, training, evaluation and the tiny model's own training all use it."""

from typing import Any

from components.core.digest import sha256_text
from components.core.errors import DataError
from components.core.records import Problem
from components.text.config import PromptConfig


def user_message(problem: Problem, config: PromptConfig) -> str:
    """The text of the single user message for a problem."""
    if problem.domain == "math":
        return "\n\n".join(part for part in (problem.statement, config.math_suffix) if part)
    parts = [config.code_instruction, problem.statement]
    if problem.starter_code.strip():
        parts.append(
            f"```python\n{problem.starter_code.rstrip()}\n```"
            if config.code_instruction
            else problem.starter_code.rstrip()
        )
    return "\n\n".join(part for part in parts if part)


def chat_prompt(tokenizer: Any, message: str) -> str:
    """The full prompt text: the tokenizer's own chat template with the generation prompt. Raises DataError."""
    if not getattr(tokenizer, "chat_template", None):
        raise DataError(f"{getattr(tokenizer, 'name_or_path', 'model')}: its tokenizer has no chat template")
    from jinja2 import TemplateError

    messages = [{"role": "user", "content": message}]
    try:
        return str(tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))
    except TemplateError as error:
        name = getattr(tokenizer, "name_or_path", "model")
        raise DataError(f"{name}: its chat template cannot be used ({error})") from error


def opens_thinking(prompt: str) -> bool:
    """Whether the chat template already opened the thinking section, so that a response must close it."""
    return prompt.rstrip().endswith("<think>")


def prompt_digest(prompt: str) -> str:
    return sha256_text(prompt)
