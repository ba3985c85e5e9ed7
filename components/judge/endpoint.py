"""One vote over HTTP: a chat completion of an OpenAI-compatible endpoint, with retries."""

import http.client
import json
import logging
import os
import time
import urllib.error
import urllib.request
from typing import Any

from components.core.errors import InfraError
from components.core.records import Problem
from components.judge.ballot import messages, read_vote
from components.judge.config import JudgeConfig

log = logging.getLogger(__name__)

HOPELESS_STATUS = frozenset({400, 401, 403, 404, 405, 422})
"""Answers that no further try will change: the request itself is refused."""
MAX_REPLY_BYTES = 4 << 20


class _Refused(urllib.request.HTTPRedirectHandler):
    """Redirects are not followed: they would carry the key to another host."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_Refused)


def cast_vote(problem: Problem, model: str, index: int, config: JudgeConfig) -> bool | None:
    """True or False, or None if no readable vote came after all tries. Raises InfraError if the request is refused."""
    body = {
        "model": model,
        "messages": messages(problem),
        "temperature": config.temperature,
        "max_tokens": config.max_response_tokens,
        "seed": config.seed + index,
    }
    for attempt in range(config.retries + 1):
        if attempt:
            time.sleep(config.retry_wait_s * 2 ** (attempt - 1))
        try:
            vote = read_vote(_ask(body, config))
        except urllib.error.HTTPError as error:
            if error.code in HOPELESS_STATUS:
                raise InfraError(
                    f"judge: {config.endpoint_url} refused model {model} with status {error.code}; check the settings "
                    f"'endpoint_url' and 'models' and the key in {config.api_key_env}"
                ) from error
            vote = None
            log.debug("judge: status %d, try %d", error.code, attempt + 1)
        except (OSError, http.client.HTTPException, ValueError, KeyError, IndexError, TypeError) as error:
            vote = None
            log.debug("judge: %s, try %d", type(error).__name__, attempt + 1)
        if vote is not None:
            return vote
    return None


def _ask(body: dict[str, Any], config: JudgeConfig) -> str:
    """The text of the reply."""
    headers = {"Content-Type": "application/json"}
    if key := os.environ.get(config.api_key_env):
        headers["Authorization"] = f"Bearer {key}"
    url = config.endpoint_url.rstrip("/") + "/chat/completions"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers, method="POST")
    with _OPENER.open(request, timeout=config.timeout_s) as response:
        reply = json.loads(response.read(MAX_REPLY_BYTES))
    return str(reply["choices"][0]["message"]["content"])
