"""Fixtures of the training tests."""

from small_models import guesser, tiny_model

__all__ = ["guesser", "tiny_model"]
