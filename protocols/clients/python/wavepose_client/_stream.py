"""Pose frames over the WebSocket, with every frame once and in order although connections fail.

After a lost connection, the stream continues after the last frame of each environment that it has seen. The protocol is one generator
(`_conversation`) without input or output, which the synchronous and the asynchronous stream drive.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Generator, Iterator
from typing import Any

import httpx
import websockets.asyncio.client
import websockets.sync.client
from websockets.exceptions import ConnectionClosed, InvalidStatus, InvalidURI, SecurityError, WebSocketException

from ._backoff import Backoff
from ._client import _Async, _error, _Sync
from ._error import WaveposeError

ANSWER_S_MAX = 15.0
MESSAGE_BYTES_MAX = 16 * 1024 * 1024

Update = dict[str, Any]


class _Seen:
    """The last frame of each environment, and what to subscribe to next."""

    def __init__(self, filters: dict[str, Any]) -> None:
        self.filters = {name: value for name, value in filters.items() if value is not None}
        self.last: dict[str, int] = dict(self.filters.get("after_frame_ids", {}))

    def subscription(self) -> dict[str, Any]:
        """The filters of the subscription that continues after the last frames."""
        if "environment_id" not in self.filters:
            return {**self.filters, "after_frame_ids": self.last} if self.last else self.filters
        last = self.last.get(self.filters["environment_id"])
        return self.filters if last is None else {**self.filters, "after_frame_id": last}

    def accepts(self, update: Update) -> bool:
        """Whether the frame is the next one. Raises if the service dropped frames before it: the next connection fetches them."""
        environment_id, frame_id = update["environment_id"], update["data"]["frame_id"]
        last = self.last.get(environment_id)
        if last is not None and frame_id <= last:
            return False
        # The dropped frames may be of another environment.
        if update["dropped"] > 0 and self.last:
            raise WaveposeError("Frames were dropped, because they were read slowly.")
        self.last[environment_id] = frame_id
        return True


def _failure(message: dict[str, Any]) -> WaveposeError:
    error = message["error"]
    rejected = error["code"] in ("VALIDATION_ERROR", "RESOURCE_NOT_FOUND", "AUTHORIZATION_ERROR")
    return WaveposeError(
        error["message"], status=422 if rejected else 0, code=error["code"], details=error["details"]
    )


def _conversation(seen: _Seen) -> Generator[str | None, Any, None]:
    """Waits for the greeting and subscribes. Yields a text to send, or None to receive, and is sent the received message."""
    yield from _received("connection_established")
    filters = seen.subscription()
    yield json.dumps({"type": "subscribe", "id": 1, "channel": "pose_updates", "filters": filters})
    confirmed = yield from _received("subscription_confirmed")
    if "after_frame_ids" in filters and "after_frame_ids" not in confirmed["filters_applied"]:
        raise WaveposeError(
            "The service is older than this client: it cannot continue the streams of all environments.",
            status=422,
            code="RESUME_UNSUPPORTED",
        )


def _received(expected: str) -> Generator[None, Any, Any]:
    """The next message of a type."""
    while True:
        message = yield None
        if message["type"] == "error":
            raise _failure(message)
        if message["type"] == expected:
            return message


# What ends a connection: a rejected request, a closed or failed connection, and an answer that does not come.
_FAILURES = (WaveposeError, WebSocketException, OSError, TimeoutError)


def _redirect_status(error: Exception) -> int:
    answer = error.__context__
    return answer.response.status_code if isinstance(answer, InvalidStatus) else 300


def _stated(error: Exception) -> Exception:
    """The error with its status, if the service, or a proxy before it, rejected, redirected or closed the connection."""
    if isinstance(error, (InvalidURI, SecurityError)):
        # A redirect to an address that is no WebSocket, or to a less secure one.
        return WaveposeError(f"The address of the stream is redirected: {error}", code="REDIRECTED", status=_redirect_status(error))
    if isinstance(error, InvalidStatus):
        answer = error.response
        headers = {name: answer.headers[name] for name in ("retry-after", "x-request-id") if name in answer.headers}
        return _error(httpx.Response(answer.status_code, headers=headers, content=answer.body or b""))
    if not isinstance(error, ConnectionClosed):
        return error
    code = error.rcvd.code if error.rcvd is not None else 0
    reason = error.rcvd.reason if error.rcvd is not None else ""
    return WaveposeError(f"The connection was closed: {code} {reason}", status=code, code=reason or "NO_ANSWER")


def _address(client: _Sync | _Async) -> str:
    settings = client.settings
    return f"{settings.url.replace('http', 'ws', 1)}/ws/pose?form={settings.form}"


def _judged(message: dict[str, Any], seen: _Seen) -> bool:
    if message["type"] == "error" and "subscription_id" in message:
        raise _failure(message)
    return message["type"] == "pose_update" and seen.accepts(message)


def pose_stream(client: _Sync, **filters: Any) -> Iterator[Update]:
    """The pose frames of an environment (`environment_id`), or of all. Ends only with an error that another attempt cannot repair."""
    seen = _Seen(filters)
    token: str | None = None
    backoff = Backoff(lambda: client.settings.forget(token))
    while True:
        try:
            token = client.authenticate()
            with websockets.sync.client.connect(
                _address(client), additional_headers=client.settings.headers(token), max_size=MESSAGE_BYTES_MAX
            ) as socket:
                for message in _sync_messages(socket, seen):
                    if _judged(message, seen):
                        backoff.reset()
                        yield message
        except _FAILURES as error:
            time.sleep(backoff.pause_s(_stated(error)))


def _sync_messages(socket: Any, seen: _Seen) -> Iterator[dict[str, Any]]:
    conversation = _conversation(seen)
    step = next(conversation)
    while True:
        try:
            if step is None:
                step = conversation.send(json.loads(socket.recv(timeout=ANSWER_S_MAX)))
            else:
                socket.send(step)
                step = next(conversation)
        except StopIteration:
            break
    while True:
        yield json.loads(socket.recv())


async def async_pose_stream(client: _Async, **filters: Any) -> AsyncIterator[Update]:
    """As `pose_stream`, asynchronous."""
    seen = _Seen(filters)
    token: str | None = None
    backoff = Backoff(lambda: client.settings.forget(token))
    while True:
        try:
            token = await client.authenticate()
            async with websockets.asyncio.client.connect(
                _address(client), additional_headers=client.settings.headers(token), max_size=MESSAGE_BYTES_MAX
            ) as socket:
                async for message in _async_messages(socket, seen):
                    if _judged(message, seen):
                        backoff.reset()
                        yield message
        except _FAILURES as error:
            await asyncio.sleep(backoff.pause_s(_stated(error)))


async def _async_messages(socket: Any, seen: _Seen) -> AsyncIterator[dict[str, Any]]:
    conversation = _conversation(seen)
    step = next(conversation)
    while True:
        try:
            if step is None:
                step = conversation.send(json.loads(await asyncio.wait_for(socket.recv(), ANSWER_S_MAX)))
            else:
                await socket.send(step)
                step = next(conversation)
        except StopIteration:
            break
    while True:
        yield json.loads(await socket.recv())
