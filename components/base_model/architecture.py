"""The bundled model's architecture: Qwen2, 0.9 million parameters."""

from typing import Any

from components.base_model.tokenizer import MAX_MODEL_TOKENS


def build_model(tokenizer: Any, seed: int) -> Any:
    """A fresh Qwen2ForCausalLM in float32 with seeded weights."""
    import torch
    from transformers import Qwen2Config, Qwen2ForCausalLM

    torch.manual_seed(seed)
    config = Qwen2Config(
        vocab_size=264,  # 262 tokens, rounded up to a multiple of 8
        hidden_size=128,
        intermediate_size=320,
        num_hidden_layers=5,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=MAX_MODEL_TOKENS,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        initializer_range=0.05,  # 0.02 is meant for widths of a thousand and more
        dtype="float32",
    )
    model = Qwen2ForCausalLM(config)
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    model.generation_config.do_sample = True
    return model
