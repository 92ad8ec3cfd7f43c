"""Reads frames of the Python client's stream: a line of {url, token, asynchronous} from stdin.

Writes a line to stdout after each frame: [environment_id, frame_id]. Ends when it is killed.
"""

import asyncio
import json
import sys

import wavepose_client
import wavepose_client._backoff as backoff

given = json.loads(sys.stdin.readline())
backoff.PAUSE_S_MIN = 0.01


def write(update) -> None:
    print(json.dumps([update["environment_id"], update["data"]["frame_id"]]), flush=True)


async def read() -> None:
    async for update in wavepose_client.async_pose_stream(wavepose_client.AsyncClient(given["url"], token=given["token"])):
        write(update)


if given["asynchronous"]:
    asyncio.run(read())
else:
    for update in wavepose_client.pose_stream(wavepose_client.Client(given["url"], token=given["token"])):
        write(update)
