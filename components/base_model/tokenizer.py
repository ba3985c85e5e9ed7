"""The byte-level tokenizer of the bundled model: one token a UTF-8 byte, plus six markers."""

from pathlib import Path
from typing import Any

PAD, END, USER, ASSISTANT = "<|pad|>", "<|end|>", "<|user|>", "<|assistant|>"
THINK_OPEN, THINK_CLOSE = "<think>", "</think>"
MAX_MODEL_TOKENS = 1024
CHAT_TEMPLATE = (
    "{%- for message in messages -%}"
    "{%- if message.role == 'assistant' -%}<|assistant|>{{ message.content }}<|end|>"
    "{%- else -%}<|user|>{{ message.content }}{%- endif -%}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}<|assistant|><think>\n{% endif -%}"
)
"""Opens the thinking section for the model, as the template of DeepSeek-R1-Distill does."""


def build_tokenizer() -> Any:
    """A transformers fast tokenizer. Ids 0-255 are the bytes (in the order of their symbols); the markers follow.

    Text is brought to Unicode NFC, as by the tokenizer of every Qwen2 model, and then comes back exactly.
    `<think>` and `</think>` are not special tokens: they stay in the text when special tokens are skipped.
    """
    from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    vocabulary = {symbol: index for index, symbol in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    core = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    core.normalizer = normalizers.NFC()  # what transformers gives every qwen2 model, whatever its tokenizer.json says
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    core.decoder = decoders.ByteLevel()
    core.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in (PAD, END, USER, ASSISTANT)])
    core.add_tokens([AddedToken(text, special=False, normalized=False) for text in (THINK_OPEN, THINK_CLOSE)])
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token=PAD,
        unk_token=PAD,  # never made: every byte is known; without it transformers adds a token of its own
        eos_token=END,
        additional_special_tokens=[USER, ASSISTANT],
        chat_template=CHAT_TEMPLATE,
        clean_up_tokenization_spaces=False,
        model_max_length=MAX_MODEL_TOKENS,
        padding_side="left",
    )


def save_tokenizer(folder: Path) -> None:
    """Write tokenizer.json, tokenizer_config.json and chat_template.jinja."""
    build_tokenizer().save_pretrained(str(folder))
