"""The scripted engine: responses from a file. Replays stored completions, and lets tests choose the answers.

A script is JSONL: `prompt` (exact) or `prompt_contains`, and `responses`, a list of texts or of
`{"text": …, "finish_reason": "stop" | "length"}`. Sample j of a prompt is response j, from the start again when
there are fewer.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from components.core.errors import DataError
from components.core.files import read_jsonl
from components.core.records import FinishReason
from components.sample.engine import Sample, SamplingParameters


class ScriptedEngine:
    """See `Engine`. With a tokenizer a response is cut at max_response_tokens and has its token ids; without one a
    token is a UTF-8 byte. Log-probs are left empty: a script has none."""

    def __init__(self, script: Sequence[Mapping[str, Any]], tokenizer: Any = None, where: str = "script") -> None:
        self.tokenizer, self.where = tokenizer, where
        self.exact: dict[str, list[Any]] = {}
        self.containing: list[tuple[str, list[Any]]] = []
        for number, entry in enumerate(script, 1):
            responses = entry.get("responses")
            if not isinstance(responses, list) or not responses or not {"prompt", "prompt_contains"} & set(entry):
                raise DataError(f"{where}: entry {number} needs 'responses' and 'prompt' or 'prompt_contains'")
            if "prompt" in entry:
                self.exact[entry["prompt"]] = responses
            else:
                self.containing.append((entry["prompt_contains"], responses))

    @classmethod
    def from_file(cls, path: Path, tokenizer: Any = None) -> "ScriptedEngine":
        return cls(read_jsonl(path), tokenizer, str(path))

    def generate(
        self, prompts: Sequence[str], seeds: Sequence[int], n: int, parameters: SamplingParameters
    ) -> list[list[Sample]]:
        """Raises DataError for a prompt that the script doesn't know."""
        drawn = []
        for prompt in prompts:
            responses = self._responses(prompt)
            drawn.append([self._sample(responses[j % len(responses)], parameters) for j in range(n)])
        return drawn

    def load_weights(self, state: Mapping[str, Any]) -> None:
        """A script has no weights; nothing changes."""

    def close(self) -> None:
        """Nothing is held."""

    def _responses(self, prompt: str) -> list[Any]:
        if prompt in self.exact:
            return self.exact[prompt]
        for part, responses in self.containing:
            if part in prompt:
                return responses
        raise DataError(f"{self.where}: no entry for the prompt {prompt[:80]!r}")

    def _sample(self, response: Any, parameters: SamplingParameters) -> Sample:
        entry = {"text": response} if isinstance(response, str) else response
        text: str = entry["text"]
        reason: FinishReason = "length" if entry.get("finish_reason") == "length" else "stop"
        if self.tokenizer is None:
            ids = list(text.encode("utf-8", "surrogatepass"))
        else:
            ids = list(self.tokenizer(text, add_special_tokens=False).input_ids)
            if reason == "stop" and self.tokenizer.eos_token_id is not None:
                ids.append(self.tokenizer.eos_token_id)
        if len(ids) > parameters.max_response_tokens:
            ids, reason = ids[: parameters.max_response_tokens], "length"
            text = (
                bytes(ids).decode("utf-8", "replace")
                if self.tokenizer is None
                else self.tokenizer.decode(ids, skip_special_tokens=True)
            )
        return Sample(text, ids, [], reason, len(ids))
