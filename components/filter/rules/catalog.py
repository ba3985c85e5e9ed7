"""All rules, in the order in which they look at a problem. The first that objects names the reason.

Faults of the row come first, then faults of the text, then the kind of question, then what is to be checked.
"""

from components.filter.rule import Rule
from components.filter.rules import (
    answer_in_statement,
    answers_given,
    external_url,
    figure_reference,
    judged_by_program,
    missing_reference,
    multi_part,
    multiple_choice,
    proof,
    repeated_statement,
    statement_given,
    tests_given,
    too_long,
    translator_note,
    yes_no,
)

RULES: tuple[Rule, ...] = (
    statement_given.EMPTY_STATEMENT,
    statement_given.MARKED_INVALID,
    external_url.RULE,
    figure_reference.RULE,
    translator_note.RULE,
    repeated_statement.RULE,
    answer_in_statement.RULE,
    multiple_choice.RULE,
    missing_reference.RULE,
    multi_part.RULE,
    proof.RULE,
    yes_no.RULE,
    answers_given.EMPTY_ANSWER,
    answers_given.NON_VERIFIABLE_ANSWER,
    tests_given.TESTS_BROKEN,
    tests_given.TESTS_EMPTY,
    tests_given.MISSING_ENTRY_POINT,
    judged_by_program.INTERACTIVE,
    judged_by_program.SPECIAL_JUDGE,
    too_long.RULE,
)
