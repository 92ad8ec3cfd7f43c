"""Reads frames of the Python client's stream while its connections are dropped: {url, password, frames, drops, asynchronous} from stdin.

Writes {disconnects, frames: [[environment_id, frame_id]]} to stdout.
"""

import asyncio
import json
import socket
import sys

import wavepose_client
import wavepose_client._stream as stream
import websockets.asyncio.client
import websockets.sync.client

given = json.load(sys.stdin)
stream.RETRY_S = 0.05
seen: list[list] = []
drops = 0


def drop(connection) -> None:
    """Ends the connection as a broken network does: without a closing handshake."""
    global drops
    drops += 1
    raw = getattr(connection, "socket", None) or connection.transport.get_extra_info("socket")
    raw.shutdown(socket.SHUT_RDWR)


opened = []
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
    if due():
        last = opened[-1]
        drop(getattr(last, "connection", last))
    return len(seen) >= given["frames"]


async def read() -> None:
    client = wavepose_client.AsyncClient(given["url"], username="admin", password=given["password"])
    async for update in wavepose_client.async_pose_stream(client):
        if take(update):
            return


if given["asynchronous"]:
    asyncio.run(read())
else:
    client = wavepose_client.Client(given["url"], username="admin", password=given["password"])
    for update in wavepose_client.pose_stream(client):
        if take(update):
            break
print(json.dumps({"drops": drops, "frames": seen}))
