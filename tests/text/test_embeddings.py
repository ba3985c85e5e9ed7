"""The sentence encoder on its bundled model."""

from pathlib import Path

import numpy as np
import pytest

from components.core.errors import ConfigError
from components.text.embedding_config import EmbeddingConfig
from components.text.embeddings import Encoder


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Encoder(EmbeddingConfig(threads=1, batch_size=4))


def test_vectors_have_length_one_and_follow_meaning(encoder: Encoder) -> None:
    texts = ["How many apples does Tom have?", "What number of apples has Tom?", "Prove that the group is abelian."]
    vectors = encoder.encode(texts)
    assert vectors.shape == (3, 384) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[0] @ vectors[1] > 0.8 > 0.3 > vectors[0] @ vectors[2]


def test_a_vector_does_not_depend_on_its_batch(encoder: Encoder) -> None:
    texts = ["one", "a much longer text about triangles " * 8, "", "one"]
    together = encoder.encode(texts)
    assert np.allclose(together[1], encoder.encode([texts[1]])[0], atol=1e-5)
    assert np.array_equal(together[0], together[3])


def test_long_texts_are_cut_into_windows_that_cover_them(encoder: Encoder) -> None:
    words = [f"w{i}" for i in range(300)]
    windows, owners = encoder.encode_windows(["short", " ".join(words)])
    assert owners[0] == 0 and set(owners[1:].tolist()) == {1} and len(owners) > 3
    pieces = encoder._windows(encoder._load(), " ".join(words))
    assert {w for p in pieces for w in p.split()} >= set(words)
    assert encoder.encode(["short", " ".join(words)]).shape[0] == 2
    assert windows.shape == (len(owners), 384)


def test_no_texts_give_no_vectors(encoder: Encoder) -> None:
    assert encoder.encode([]).shape == (0, 384)


def test_wrong_weights_and_wrong_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="expects 0000"):
        Encoder(EmbeddingConfig(sha256="0" * 64)).encode(["x"])
    with pytest.raises(ConfigError, match="holds no model.safetensors"):
        Encoder(EmbeddingConfig(path=str(tmp_path))).encode(["x"])
    with pytest.raises(ConfigError, match="overlap_tokens"):
        Encoder(EmbeddingConfig(window_tokens=50, overlap_tokens=50))
