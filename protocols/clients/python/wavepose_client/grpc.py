"""The gRPC clients: all services of wavepose.v1, and pose frames with every frame once and in order although connections fail.

Needs the packages of the extra `grpc`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from types import SimpleNamespace
from typing import Any

import grpc
import grpc.aio
from google.protobuf.message_factory import GetMessageClass

from ._backoff import Backoff
from ._client import AsyncClient, Client
from ._error import WaveposeError
from ._grpc_error import error_of
from .generated import grpc_messages as messages

__all__ = ["AsyncGrpcClient", "GrpcClient", "async_grpc_pose_stream", "grpc_pose_stream", "messages"]

TIMEOUT_S = 30.0
_OPTIONS = [("grpc.max_receive_message_length", 16 * 1024 * 1024)]


def _metadata(api_key: str | None, token: str | None, request_id: str | None) -> list[tuple[str, str]]:
    identity = [("x-api-key", api_key)] if api_key is not None else []
    signed_in = [("authorization", f"Bearer {token}")] if api_key is None and token is not None else []
    return [*identity, *signed_in, *([] if request_id is None else [("x-request-id", request_id)])]


def _callable(channel: Any, method: Any) -> tuple[Any, Any]:
    """The call of a method, and the class of its request."""
    request, response = GetMessageClass(method.input_type), GetMessageClass(method.output_type)
    make = {
        (False, False): channel.unary_unary,
        (False, True): channel.unary_stream,
        (True, True): channel.stream_stream,
    }[(method.client_streaming, method.server_streaming)]
    path = f"/{method.containing_service.full_name}/{method.name}"
    return make(path, request_serializer=request.SerializeToString, response_deserializer=response.FromString), request


class _Grpc:
    """Address and credentials: an access token, an API key, or a REST client, whose credentials it shares and renews."""

    def __init__(self, rest: Any, token: str | None, api_key: str | None, timeout_s: float) -> None:
        self._rest = rest
        self._token = token
        self._api_key = api_key if rest is None else rest.settings.api_key
        self._timeout_s = timeout_s

    def _headers(self, token: str | None, request_id: str | None) -> list[tuple[str, str]]:
        return _metadata(self._api_key, token, request_id)

    def can_sign_in(self) -> bool:
        return self._rest is not None and self._rest.settings.can_sign_in

    def _renews(self, error: Any, token: str | None) -> bool:
        """Drops the token of a call, if the service has rejected it. False if the client cannot get another one."""
        is_rejected = error.code() is grpc.StatusCode.UNAUTHENTICATED
        return is_rejected and self._rest is not None and self._rest.settings.forget(token)


class GrpcClient(_Grpc, messages.Services):
    """A synchronous client: `client.PoseService.GetLatestPose(messages.GetLatestPoseRequest())`."""

    def __init__(
        self,
        address: str,
        *,
        token: str | None = None,
        api_key: str | None = None,
        rest: Client | None = None,
        credentials: grpc.ChannelCredentials | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        super().__init__(rest, token, api_key, timeout_s)
        self._channel = (
            grpc.insecure_channel(address, _OPTIONS)
            if credentials is None
            else grpc.secure_channel(address, credentials, _OPTIONS)
        )
        for name, methods in messages.SERVICES.items():
            calls = {method: self._function(descriptor) for method, descriptor in methods.items()}
            setattr(self, name, SimpleNamespace(**calls))

    def close(self) -> None:
        self._channel.close()

    def __enter__(self) -> GrpcClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _function(self, method: Any) -> Any:
        call, request_class = _callable(self._channel, method)
        is_stream = method.server_streaming

        def invoke(request: Any = None, *, timeout_s: float | None = None, request_id: str | None = None) -> Any:
            given = request_class() if request is None else request
            limit_s = timeout_s if is_stream else timeout_s or self._timeout_s

            def start(token: str | None) -> Any:
                return call(given, timeout=limit_s, metadata=self._headers(token, request_id))

            token = self._authenticate()
            if is_stream:
                return self._answers(start(token), token)
            try:
                return start(token)
            except grpc.RpcError as error:
                if not self._renews(error, token):
                    raise error_of(error) from error
            try:
                return start(self._authenticate())
            except grpc.RpcError as error:
                raise error_of(error) from error

        return invoke

    def _authenticate(self) -> str | None:
        return self._token if self._rest is None else self._rest.authenticate()

    def _answers(self, call: Any, token: str | None) -> Iterator[Any]:
        try:
            yield from call
        except grpc.RpcError as error:
            self._renews(error, token)
            raise error_of(error) from error
        finally:
            call.cancel()


class AsyncGrpcClient(_Grpc, messages.AsyncServices):
    """As GrpcClient, asynchronous. Make it in a running event loop."""

    def __init__(
        self,
        address: str,
        *,
        token: str | None = None,
        api_key: str | None = None,
        rest: AsyncClient | None = None,
        credentials: grpc.ChannelCredentials | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        super().__init__(rest, token, api_key, timeout_s)
        self._channel = (
            grpc.aio.insecure_channel(address, _OPTIONS)
            if credentials is None
            else grpc.aio.secure_channel(address, credentials, _OPTIONS)
        )
        for name, methods in messages.SERVICES.items():
            calls = {method: self._function(descriptor) for method, descriptor in methods.items()}
            setattr(self, name, SimpleNamespace(**calls))

    async def close(self) -> None:
        await self._channel.close()

    async def __aenter__(self) -> AsyncGrpcClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _function(self, method: Any) -> Any:
        call, request_class = _callable(self._channel, method)

        def start(token: str | None, request: Any, limit_s: float | None, request_id: str | None) -> Any:
            return call(request, timeout=limit_s, metadata=self._headers(token, request_id))

        async def answers(request: Any, timeout_s: float | None, request_id: str | None) -> AsyncIterator[Any]:
            token = await self._authenticate()
            running = start(token, request, timeout_s, request_id)
            try:
                async for message in running:
                    yield message
            except grpc.aio.AioRpcError as error:
                self._renews(error, token)
                raise error_of(error) from error
            finally:
                running.cancel()

        async def answer(request: Any, timeout_s: float | None, request_id: str | None) -> Any:
            limit_s = timeout_s or self._timeout_s
            token = await self._authenticate()
            try:
                return await start(token, request, limit_s, request_id)
            except grpc.aio.AioRpcError as error:
                if not self._renews(error, token):
                    raise error_of(error) from error
            try:
                return await start(await self._authenticate(), request, limit_s, request_id)
            except grpc.aio.AioRpcError as error:
                raise error_of(error) from error

        def invoke(request: Any = None, *, timeout_s: float | None = None, request_id: str | None = None) -> Any:
            given = request_class() if request is None else request
            return (answers if method.server_streaming else answer)(given, timeout_s, request_id)

        return invoke

    async def _authenticate(self) -> str | None:
        return self._token if self._rest is None else await self._rest.authenticate()


class _Gap(Exception):
    """A frame does not follow the last one: the next stream fetches what is between."""


class _Seen:
    """The last frame of each environment, and what to ask for next."""

    def __init__(self, filters: dict[str, Any]) -> None:
        self.filters = filters
        self.last: dict[str, int] = dict(filters.get("after_frame_ids", {}))
        self.unresumed: set[str] = set()

    def request(self) -> messages.WatchPosesRequest:
        # The first frame of a resumed stream may follow a gap: the history holds no more.
        self.unresumed = set(self.last)
        return messages.WatchPosesRequest(**{**self.filters, "after_frame_ids": self.last})

    def accepts(self, frame: messages.PoseFrame) -> bool:
        environment_id = frame.metadata.environment_id
        last = self.last.get(environment_id)
        if last is not None and frame.frame_id <= last:
            return False
        if last is not None and frame.frame_id > last + 1 and environment_id not in self.unresumed:
            raise _Gap
        self.unresumed.discard(environment_id)
        self.last[environment_id] = frame.frame_id
        return True


def grpc_pose_stream(client: GrpcClient, **filters: Any) -> Iterator[messages.PoseFrame]:
    """The pose frames of some environments (`environment_ids`), or of all; further filters are fields of WatchPosesRequest.

    Ends only with an error that another attempt cannot repair.
    """
    seen = _Seen(filters)
    backoff = Backoff(client.can_sign_in)
    while True:
        failure: WaveposeError | None = None
        try:
            for answer in client.PoseService.WatchPoses(seen.request()):
                if seen.accepts(answer.pose_frame):
                    backoff.reset()
                    yield answer.pose_frame
        except _Gap:
            pass
        except WaveposeError as error:
            failure = error
        time.sleep(backoff.pause_s(failure))


async def async_grpc_pose_stream(client: AsyncGrpcClient, **filters: Any) -> AsyncIterator[messages.PoseFrame]:
    """As `grpc_pose_stream`, asynchronous."""
    seen = _Seen(filters)
    backoff = Backoff(client.can_sign_in)
    while True:
        failure: WaveposeError | None = None
        try:
            async for answer in client.PoseService.WatchPoses(seen.request()):
                if seen.accepts(answer.pose_frame):
                    backoff.reset()
                    yield answer.pose_frame
        except _Gap:
            pass
        except WaveposeError as error:
            failure = error
        await asyncio.sleep(backoff.pause_s(failure))
