"""The bundled model itself: its tokenizer, its template, and that it can do what its record says."""

import json
import unicodedata

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoModelForCausalLM, AutoTokenizer

from components.base_model.pretrain_data import PROMPT, draw_math, prompt_of
from components.base_model.pretrain_evaluation import evaluate, is_right_answer
from components.base_model.run import BUNDLED
from components.base_model.tokenizer import build_tokenizer
from components.core.records import Problem, Source
from components.text.prompt import chat_prompt, opens_thinking, user_message

TINY = BUNDLED / "tiny"
tokenizer = AutoTokenizer.from_pretrained(TINY)


@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_every_text_round_trips(text):
    text = unicodedata.normalize("NFC", text)  # as every Qwen2 tokenizer does
    assert tokenizer.decode(tokenizer.encode(text, add_special_tokens=False)) == text


def test_one_token_a_byte_and_the_saved_tokenizer_is_the_built_one():
    text = "naïve ∑ 数学 👍🏽 \x00\r\n"
    ids = tokenizer.encode(text, add_special_tokens=False)
    assert len(ids) == len(text.encode()) and max(ids) < 256
    assert build_tokenizer().encode(text) == ids
    assert len(tokenizer) == 262


def test_thinking_markers_survive_skipping_special_tokens():
    ids = tokenizer.encode("5*4=20\n</think>\n\\boxed{20}<|end|>", add_special_tokens=False)
    assert tokenizer.decode(ids, skip_special_tokens=True) == "5*4=20\n</think>\n\\boxed{20}"
    assert ids[-1] == tokenizer.eos_token_id
    assert ids.count(tokenizer.convert_tokens_to_ids("</think>")) == 1


def test_template_opens_the_thinking_section():
    problem = Problem("", "", "math", "What is 2 + 2?", Source("s", "", 0), answers=("4",))
    prompt = chat_prompt(tokenizer, user_message(problem, PROMPT))
    assert prompt == "<|user|>What is 2 + 2?<|assistant|><think>\n"
    assert opens_thinking(prompt)


def test_answer_check_needs_closed_thinking_and_takes_the_last_box():
    from random import Random

    item = draw_math("benchmark", Random(0))
    right = f"\\boxed{{{item.answer}}}"
    assert is_right_answer(item, f"x\n</think>\n\\boxed{{1}} {right}")
    assert not is_right_answer(item, f"x {right}")
    assert not is_right_answer(item, f"{right}\n</think>\n\\boxed{{{item.answer + 1}}}")
    assert prompt_of(tokenizer, item).startswith(f"<|user|>{item.statement}")


@pytest.mark.slow
def test_measured_pass_rates_are_near_the_recorded_ones():
    record = json.loads((TINY / "training_record.json").read_text())
    model = AutoModelForCausalLM.from_pretrained(TINY, dtype=torch.float32)
    scores = evaluate(model, tokenizer, 100, seed=7)
    # Standard error of a share over 100 problems is at most 0.05.
    for name in ("math_pass_rate", "code_pass_rate"):
        assert scores[name] == pytest.approx(record["measured"][name], abs=0.2)
    for name in ("math_entropy", "code_entropy"):
        assert scores[name] == pytest.approx(record["measured"][name], abs=0.1)
