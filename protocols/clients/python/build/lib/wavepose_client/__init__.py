"""Client of wavepose's pose API: REST and WebSocket, typed in both forms, synchronous and asynchronous."""

from ._client import AsyncClient, AsyncEnvelopeClient, Client, EnvelopeClient
from ._error import WaveposeError
from ._stream import async_pose_stream, pose_stream
from .generated import CONTRACT_VERSION

__all__ = [
    "CONTRACT_VERSION",
    "AsyncClient",
    "AsyncEnvelopeClient",
    "Client",
    "EnvelopeClient",
    "WaveposeError",
    "async_pose_stream",
    "pose_stream",
]
