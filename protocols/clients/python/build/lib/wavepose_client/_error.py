"""The error of the client."""

from __future__ import annotations

from typing import Any


class WaveposeError(Exception):
    """A request that the service rejected, or that did not reach it.

    status: HTTP status; for a WebSocket the close code; 0 if there was no answer.
    code: code of the error, e.g. POSE_DATA_NOT_FOUND; NO_ANSWER if there was none.
    retry_after_s: seconds after which the request may be repeated; None if the service did not say.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        code: str = "NO_ANSWER",
        details: dict[str, Any] | None = None,
        request_id: str | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.details = details or {}
        self.request_id = request_id
        self.retry_after_s = retry_after_s
