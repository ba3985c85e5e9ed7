"""The endpoint engine: any server with OpenAI's completions API (vLLM, SGLang, llama.cpp …) over HTTP.

Prompts are sent as token ids, so the server can't add a second begin token, with one request a sample.
"""

import json
import logging
import os
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from components.core.errors import ConfigError, DataError, InfraError
from components.sample.config import SamplerConfig
from components.sample.engine import Sample, SamplingParameters

log = logging.getLogger(__name__)

ATTEMPTS = 5
RETRIED_STATUS = (408, 409, 425, 429, 500, 502, 503, 504)


class EndpointEngine:
    """See `Engine`. Whether a seed reproduces a sample is up to the server. Weights can't be replaced."""

    def __init__(self, config: SamplerConfig, tokenizer: Any, max_model_tokens: int) -> None:
        if not config.endpoint_url.startswith(("http://", "https://")):
            raise ConfigError("setting 'endpoint_url': give the server's base URL, e.g. http://127.0.0.1:8000/v1")
        self.config, self.tokenizer, self.max_model_tokens = config, tokenizer, max_model_tokens
        self.url = config.endpoint_url.rstrip("/") + "/completions"
        self.threads = ThreadPoolExecutor(config.endpoint_concurrency, thread_name_prefix="endpoint")

    def generate(
        self, prompts: Sequence[str], seeds: Sequence[int], n: int, parameters: SamplingParameters
    ) -> list[list[Sample]]:
        """Raises InfraError when the server stays away, DataError when it refuses a request."""
        futures = []
        for i, prompt in enumerate(prompts):
            ids = self.tokenizer(prompt, add_special_tokens=False).input_ids
            limit = min(parameters.max_response_tokens, self.max_model_tokens - len(ids))
            if limit < 1:
                raise DataError(
                    f"prompt {i} has {len(ids)} tokens: the context of {self.max_model_tokens} leaves no room"
                )
            bodies = [self._body(ids, seeds[i] + j, limit, parameters) for j in range(n)]
            futures.append([self.threads.submit(self._sample, body) for body in bodies])
        return [[future.result() for future in row] for row in futures]

    def load_weights(self, state: Mapping[str, Any]) -> None:
        raise ConfigError("engine 'endpoint' can't replace the server's weights; train with vllm or transformers")

    def close(self) -> None:
        self.threads.shutdown(wait=False, cancel_futures=True)

    def _body(self, ids: list[int], seed: int, limit: int, parameters: SamplingParameters) -> dict[str, Any]:
        return {
            "model": self.config.endpoint_model,
            "prompt": ids,
            "seed": seed,
            "max_tokens": limit,
            "temperature": parameters.temperature,
            "top_p": parameters.top_p,
            **self.config.endpoint_extra,
        }

    def _sample(self, body: dict[str, Any]) -> Sample:
        answer = self._post(body)
        try:
            choice = answer["choices"][0]
            text, ids = choice["text"], list(choice.get("token_ids") or [])
            logprobs = list((choice.get("logprobs") or {}).get("token_logprobs") or [])
            num_tokens = len(ids) or int(answer["usage"]["completion_tokens"])
        except (KeyError, IndexError, TypeError) as error:
            raise DataError(f"{self.url}: the answer is not a completion (missing {error})") from error
        return Sample(text, ids, logprobs, "length" if choice.get("finish_reason") == "length" else "stop", num_tokens)

    def _post(self, body: dict[str, Any]) -> dict[str, Any]:
        headers = {"Content-Type": "application/json"}
        if key := os.environ.get(self.config.endpoint_key_env):
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(self.url, json.dumps(body).encode(), headers)
        reason = ""
        for attempt in range(ATTEMPTS):
            if attempt:
                time.sleep(min(30.0, 0.5 * 2**attempt))
            try:
                with urllib.request.urlopen(request, timeout=self.config.sample_timeout_s) as response:
                    return dict(json.load(response))
            except urllib.error.HTTPError as error:
                reason = f"status {error.code}: {error.read()[:200].decode('utf-8', 'replace')}"
                if error.code not in RETRIED_STATUS:
                    raise DataError(f"{self.url}: the server refused the request ({reason})") from error
            except (OSError, json.JSONDecodeError) as error:
                reason = str(getattr(error, "reason", error))
            log.warning("%s: attempt %d of %d failed (%s)", self.url, attempt + 1, ATTEMPTS, reason)
        raise InfraError(f"{self.url}: no completion after {ATTEMPTS} attempts ({reason}); is the server up?")
