"""Opens streams of the Python client that no attempt can open: {urls, credentials} from stdin.

Writes the status and the message of the error of each, [[[status, message], ...] of `pose_stream`, the same of `async_pose_stream`,
and whether there is a pause after errors that are the causes of each other].
"""

import asyncio
import json
import sys

import wavepose_client._backoff as backoff
from wavepose_client import AsyncClient, Client, WaveposeError, async_pose_stream, pose_stream

given = json.load(sys.stdin)
backoff.PAUSE_S_MIN = 0.01


def opened(url: str) -> tuple[int, str]:
    with Client(url, **given["credentials"]) as client:
        try:
            next(pose_stream(client))
        except WaveposeError as error:
            return error.status, error.message
    return 0, "a frame"


async def async_opened(url: str) -> tuple[int, str]:
    async with AsyncClient(url, **given["credentials"]) as client:
        try:
            await anext(async_pose_stream(client))
        except WaveposeError as error:
            return error.status, error.message
    return 0, "a frame"


async def async_all() -> list[tuple[int, str]]:
    return [await async_opened(url) for url in given["urls"]]


again = OSError("raised again")
again.__cause__ = OSError("its cause")
again.__cause__.__cause__ = again
pauses = backoff.Backoff(lambda: False).pause_s(again) > 0

print(json.dumps([[opened(url) for url in given["urls"]], asyncio.run(async_all()), pauses]))
