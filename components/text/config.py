"""Settings of the prompt renderer."""

from components.core.config import StrictConfig


class PromptConfig(StrictConfig):
    """What stands around a problem's text in the user message (then the model's own chat template follows)."""

    math_suffix: str = ""
    """Appended to a math statement after a blank line. Empty as in Skywork's training data (bare problem)."""
    code_instruction: str = (
        "Solve the programming task below in Python. Think it through first, then give the complete program in one "
        "fenced block that starts with ```python. Read from standard input and write to standard output, unless "
        "starter code is given: then keep its names and signature."
    )
    """Paragraph before a code statement; empty for none."""
