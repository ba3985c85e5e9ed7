"""A statement that boxes its own answer: a worked solution was pasted behind the question, or the blank was filled."""

from components.core.records import Problem
from components.filter.config import FilterConfig
from components.filter.rule import Rule, math
from components.text.numbers import answer_key
from components.verify.answers import extract_answer


def check(problem: Problem, config: FilterConfig) -> str | None:
    if r"\boxed" not in problem.statement and r"\fbox" not in problem.statement:
        return None
    boxed = extract_answer(problem.statement, require_box=True)
    if boxed and answer_key(boxed) in {answer_key(answer) for answer in problem.answers}:
        return f"boxed: {boxed[:80]}"
    return None


RULE = Rule(
    "answer_in_statement",
    ("math",),
    check,
    kept=(
        math(r"What is 3+4? Give the final answer in \boxed{}."),
        math(r"If $x=3$, then $x+4=\boxed{?}$."),
        math(r"Fill the boxes: $\boxed{A}+\boxed{B}=9$ and $A-B=5$. Find A."),
    ),
    dropped=(
        math(r"If three cards are added to four, the number of cards is $\boxed{7}$."),
        math(r"Find 3+4. Adding the two gives $3+4=7 \Rightarrow \boxed{007}$"),
        math(r"Then the number that she holds is $\boxed{\frac{7}{8}}$.", r"\frac{7}{8}"),
    ),
)
