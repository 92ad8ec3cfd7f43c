"""The pauses between the connections of a stream, shared by the WebSocket and the gRPC streams."""

from __future__ import annotations

import random
import ssl
from collections.abc import Callable

from ._error import WaveposeError

PAUSE_S_MIN = 0.25
PAUSE_S_MAX = 15.0

# Close codes of the WebSocket that mean 401 and 403.
_UNAUTHENTICATED = (401, 4401)
_FORBIDDEN = 4403


def _is_final(error: WaveposeError) -> bool:
    """Whether the request was rejected, redirected or answered with a page, so that another connection fails in the same way."""
    return error.status == _FORBIDDEN or (200 <= error.status < 500 and error.status != 429)


def _rejected_certificate(error: BaseException | None) -> ssl.SSLCertVerificationError | None:
    """The error about the certificate of the service among an error and its causes."""
    # Errors may be the causes of each other, if a library raises one again.
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, ssl.SSLCertVerificationError):
            return error
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return None


class Backoff:
    """Doubles the pause with each connection that brought no frame, from `PAUSE_S_MIN` to `PAUSE_S_MAX`.

    `renews` returns whether the next connection can have other credentials than the rejected ones.
    """

    def __init__(self, renews: Callable[[], bool]) -> None:
        self._pause_s = PAUSE_S_MIN
        self._renews = renews
        self._renewed = False

    def reset(self) -> None:
        """To be called with each frame."""
        self._pause_s = PAUSE_S_MIN
        self._renewed = False

    def _ends_with(self, error: WaveposeError) -> bool:
        """Credentials are renewed once until the next frame."""
        if error.status not in _UNAUTHENTICATED:
            return _is_final(error)
        if self._renewed or not self._renews():
            return True
        self._renewed = True
        return False

    def pause_s(self, error: Exception | None) -> float:
        """Seconds until the next connection: with jitter, and at least what the service asked for. Raises an error that is final."""
        certificate = _rejected_certificate(error)
        if certificate is not None:
            raise WaveposeError(f"The certificate of the service is not accepted: {certificate}") from certificate
        if isinstance(error, WaveposeError) and self._ends_with(error):
            raise error
        pause_s = self._pause_s * random.uniform(0.5, 1)
        self._pause_s = min(2 * self._pause_s, PAUSE_S_MAX)
        asked_s = error.retry_after_s if isinstance(error, WaveposeError) else None
        return max(pause_s, asked_s or 0.0)
