"""Reads frames of the Python client's stream while its connections are dropped: {url, password, frames, drops, asynchronous} from stdin.

The first sign-in finds no service. Writes {drops, frames: [[environment_id, frame_id]], limited_pause_s} to stdout.
"""

import asyncio
import json
import socket
import sys

import wavepose_client
import wavepose_client._backoff as backoff
import websockets.asyncio.client
import websockets.sync.client

given = json.load(sys.stdin)
backoff.PAUSE_S_MIN = 0.05
seen: list[list] = []
drops = 0


def drop(connection) -> None:
    """Ends the connection as a broken network does: without a closing handshake."""
    global drops
    drops += 1
    raw = getattr(connection, "socket", None) or connection.transport.get_extra_info("socket")
    raw.shutdown(socket.SHUT_RDWR)


opened = []
dropped = []
for module in (websockets.sync.client, websockets.asyncio.client):
    connect = module.connect

    def kept(*args, _connect=connect, **kwargs):
        made = _connect(*args, **kwargs)
        opened.append(made)
        return made

    module.connect = kept


def due() -> bool:
    return drops < given["drops"] and len(seen) >= (drops + 1) * given["frames"] // (given["drops"] + 1)


def take(update) -> bool:
    seen.append([update["environment_id"], update["data"]["frame_id"]])
    last = opened[-1]
    # A connection that was dropped may still deliver what it had received.
    if due() and last not in dropped:
        dropped.append(last)
        drop(getattr(last, "connection", last))
    return len(seen) >= given["frames"] and drops >= given["drops"]


credentials = {"username": "admin", "password": given["password"]}
nowhere = "http://127.0.0.1:1"
make_client = wavepose_client.AsyncClient if given["asynchronous"] else wavepose_client.Client
client = make_client(nowhere, **credentials)
pause_s = backoff.Backoff.pause_s


def pause_then_find(self: backoff.Backoff, error: Exception | None) -> float:
    client.settings.url = given["url"]
    return pause_s(self, error)


backoff.Backoff.pause_s = pause_then_find


async def read() -> None:
    async for update in wavepose_client.async_pose_stream(client):
        if take(update):
            return


if given["asynchronous"]:
    asyncio.run(read())
else:
    for update in wavepose_client.pose_stream(client):
        if take(update):
            break
limited = wavepose_client.WaveposeError("Too many requests.", status=429, retry_after_s=7.0)
print(json.dumps({"drops": drops, "frames": seen, "limited_pause_s": pause_s(backoff.Backoff(client.settings.forget), limited)}))
