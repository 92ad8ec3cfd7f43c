"""The pauses between the connections of a stream, shared by the WebSocket and the gRPC streams."""

from __future__ import annotations

import random

from ._error import WaveposeError

PAUSE_S_MIN = 0.25
PAUSE_S_MAX = 15.0

# Close codes of the WebSocket that mean 401 and 403.
_CLOSED_FOR_GOOD = (4401, 4403)


def _is_final(error: Exception | None) -> bool:
    """Whether the service rejected the credentials or the request, so that another connection fails in the same way."""
    if not isinstance(error, WaveposeError):
        return False
    return error.status in _CLOSED_FOR_GOOD or (400 <= error.status < 500 and error.status != 429)


class Backoff:
    """Doubles the pause with each connection that brought no frame, from `PAUSE_S_MIN` to `PAUSE_S_MAX`."""

    def __init__(self) -> None:
        self._pause_s = PAUSE_S_MIN

    def reset(self) -> None:
        """To be called with each frame."""
        self._pause_s = PAUSE_S_MIN

    def pause_s(self, error: Exception | None) -> float:
        """Seconds until the next connection: with jitter, and at least what the service asked for. Raises an error that is final."""
        if error is not None and _is_final(error):
            raise error
        pause_s = self._pause_s * random.uniform(0.5, 1)
        self._pause_s = min(2 * self._pause_s, PAUSE_S_MAX)
        asked_s = error.retry_after_s if isinstance(error, WaveposeError) else None
        return max(pause_s, asked_s or 0.0)
