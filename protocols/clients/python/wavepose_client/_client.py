"""The REST clients: the generated operations over httpx."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from typing import Any

import httpx

from ._error import WaveposeError
from .generated.operations_bare import AsyncBareOperations, BareOperations
from .generated.operations_envelope import AsyncEnvelopeOperations, EnvelopeOperations

TIMEOUT_S = 30.0
# A token is replaced this long before it ends.
RENEW_S = 60
_UNAUTHENTICATED = 401


class _Settings:
    """Address, form and credentials: an access token, an API key, or a user with a password."""

    def __init__(
        self,
        url: str,
        form: str,
        token: str | None,
        api_key: str | None,
        username: str | None,
        password: str | None,
        timeout_s: float,
    ) -> None:
        self.url = url.rstrip("/")
        self.form = form
        self.api_key = api_key
        self.username = username
        self.password = password
        self.timeout_s = timeout_s
        self._token = token
        self._token_ends_s = float("inf")

    @property
    def can_sign_in(self) -> bool:
        return self.username is not None

    @property
    def needs_sign_in(self) -> bool:
        return self.can_sign_in and (self._token is None or time.monotonic() >= self._token_ends_s)

    @property
    def sign_in(self) -> dict[str, str]:
        return {"username": self.username or "", "password": self.password or ""}

    def signed_in(self, answer: dict[str, Any]) -> None:
        self._token = answer["access_token"]
        self._token_ends_s = time.monotonic() + answer["expires_in"] - RENEW_S

    def forget(self, rejected: str | None) -> bool:
        """Drops a token that the service has rejected, unless another one has replaced it. False if the client cannot get another one."""
        if self._token == rejected and self.can_sign_in:
            self._token = None
        return self.can_sign_in

    @property
    def token(self) -> str | None:
        return self._token

    def headers(self, token: str | None) -> dict[str, str]:
        if self.api_key is not None:
            return {"X-API-Key": self.api_key}
        return {} if token is None else {"Authorization": f"Bearer {token}"}


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _request(
    settings: _Settings, token: str | None, method: str, path: str, query: dict[str, Any], body: Any
) -> dict[str, Any]:
    params = {name: _text(value) for name, value in query.items() if value is not None}
    request: dict[str, Any] = {
        "method": method,
        "url": settings.url + path,
        "params": {"form": settings.form, **params},
        "headers": {"Accept": "application/json", **settings.headers(token)},
    }
    if body is not None:
        request["json"] = body
    return request


def _error(response: httpx.Response) -> WaveposeError:
    try:
        error = response.json()["error"]
    except (json.JSONDecodeError, KeyError, TypeError):
        # A proxy answered: its text is no JSON, and the status says enough.
        error = {}
    retry_after = response.headers.get("retry-after", "")
    return WaveposeError(
        error.get("message", f"The service answered {response.status_code}."),
        status=response.status_code,
        code=error.get("code", "NO_ANSWER"),
        details=error.get("details"),
        request_id=response.headers.get("x-request-id"),
        retry_after_s=float(retry_after) if retry_after.isdigit() else None,
    )


def _answer(response: httpx.Response) -> Any:
    if response.is_error:
        raise _error(response)
    if not response.content:
        return None
    is_json = response.headers.get("content-type", "").startswith("application/json")
    return response.json() if is_json else response.text


def _no_answer(settings: _Settings, error: httpx.HTTPError) -> WaveposeError:
    return WaveposeError(f"{settings.url} does not answer: {error}")


class _Sync:
    _form = "bare"

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        api_key: str | None = None,
        username: str | None = None,
        password: str | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self.settings = _Settings(url, self._form, token, api_key, username, password, timeout_s)
        self._http = httpx.Client(timeout=timeout_s)
        self._signing_in = threading.Lock()

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def authenticate(self) -> str | None:
        """The token; signs in, if the client has a password and no token that lasts. Requests at the same time sign in once."""
        with self._signing_in:
            if self.settings.needs_sign_in:
                self._sign_in()
            return self.settings.token

    def _sign_in(self) -> None:
        url = f"{self.settings.url}/api/v1/auth/token?form=bare"
        try:
            response = self._http.post(url, json=self.settings.sign_in)
        except httpx.HTTPError as error:
            raise _no_answer(self.settings, error) from error
        self.settings.signed_in(_answer(response))

    def _call(self, method: str, path: str, query: dict[str, Any], body: Any = None) -> Any:
        token = self.authenticate()
        response = self._send(token, method, path, query, body)
        if response.status_code == _UNAUTHENTICATED and self.settings.forget(token):
            response = self._send(self.authenticate(), method, path, query, body)
        return _answer(response)

    def _send(
        self, token: str | None, method: str, path: str, query: dict[str, Any], body: Any
    ) -> httpx.Response:
        try:
            return self._http.request(**_request(self.settings, token, method, path, query, body))
        except httpx.HTTPError as error:
            raise _no_answer(self.settings, error) from error


class _Async:
    _form = "bare"

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        api_key: str | None = None,
        username: str | None = None,
        password: str | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self.settings = _Settings(url, self._form, token, api_key, username, password, timeout_s)
        self._http = httpx.AsyncClient(timeout=timeout_s)
        self._signing_in = asyncio.Lock()

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def authenticate(self) -> str | None:
        """The token; signs in, if the client has a password and no token that lasts. Requests at the same time sign in once."""
        async with self._signing_in:
            if self.settings.needs_sign_in:
                await self._sign_in()
            return self.settings.token

    async def _sign_in(self) -> None:
        url = f"{self.settings.url}/api/v1/auth/token?form=bare"
        try:
            response = await self._http.post(url, json=self.settings.sign_in)
        except httpx.HTTPError as error:
            raise _no_answer(self.settings, error) from error
        self.settings.signed_in(_answer(response))

    async def _call(self, method: str, path: str, query: dict[str, Any], body: Any = None) -> Any:
        token = await self.authenticate()
        response = await self._send(token, method, path, query, body)
        if response.status_code == _UNAUTHENTICATED and self.settings.forget(token):
            response = await self._send(await self.authenticate(), method, path, query, body)
        return _answer(response)

    async def _send(
        self, token: str | None, method: str, path: str, query: dict[str, Any], body: Any
    ) -> httpx.Response:
        try:
            return await self._http.request(**_request(self.settings, token, method, path, query, body))
        except httpx.HTTPError as error:
            raise _no_answer(self.settings, error) from error


class Client(_Sync, BareOperations):
    """A synchronous client whose answers are the data itself (bare form)."""


class EnvelopeClient(_Sync, EnvelopeOperations):
    """A synchronous client whose answers are {success, data, timestamp, request_id}."""

    _form = "envelope"


class AsyncClient(_Async, AsyncBareOperations):
    """An asynchronous client whose answers are the data itself (bare form)."""


class AsyncEnvelopeClient(_Async, AsyncEnvelopeOperations):
    """An asynchronous client whose answers are {success, data, timestamp, request_id}."""

    _form = "envelope"
