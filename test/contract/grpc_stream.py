"""Reads frames of the Python client's gRPC stream: {address, url, password, drops, frames_per_drop, asynchronous} from stdin.

Writes a line to stdout after each frame: [environment_id, frame_id]. Waits for a line on stdin after each `frames_per_drop` frames, while the
connections are dropped; then writes the failure of a call for an unknown environment.
"""

import asyncio
import json
import sys

import wavepose_client._backoff as backoff
from wavepose_client import AsyncClient, Client, WaveposeError
from wavepose_client import grpc as wavepose_grpc
from wavepose_client.grpc import AsyncGrpcClient, GrpcClient, messages

given = json.loads(sys.stdin.readline())
backoff.PAUSE_S_MIN = 0.01
count = 0


def take(frame: messages.PoseFrame) -> bool:
    """Whether the stream ends with this frame."""
    global count
    count += 1
    print(json.dumps([frame.metadata.environment_id, frame.frame_id]), flush=True)
    if count % given["frames_per_drop"] == 0 and count <= given["drops"] * given["frames_per_drop"]:
        sys.stdin.readline()
    return count >= (given["drops"] + 1) * given["frames_per_drop"]


def failure(error: WaveposeError) -> bool:
    """Whether the call has an answer. A connection that was dropped may be noticed by a call only, if the last frames came before the drop."""
    if error.status == 0:
        return False
    print(json.dumps({"status": error.status, "code": error.code, "details": error.details}), flush=True)
    return True


TRIES = 3


invalid = messages.GetLatestPoseRequest(min_confidence=7)


async def read() -> None:
    async with AsyncClient(given["url"], username="admin", password=given["password"]) as rest:
        async with AsyncGrpcClient(given["address"], rest=rest) as client:
            async for frame in wavepose_grpc.async_grpc_pose_stream(client):
                if take(frame):
                    break
            for call in (client.SystemService.StartSystem, lambda: client.PoseService.GetLatestPose(invalid)):
                for _ in range(TRIES):
                    try:
                        await call()
                    except WaveposeError as error:
                        if failure(error):
                            break


if given["asynchronous"]:
    asyncio.run(read())
else:
    with Client(given["url"], username="admin", password=given["password"]) as rest:
        with GrpcClient(given["address"], rest=rest) as client:
            for frame in wavepose_grpc.grpc_pose_stream(client):
                if take(frame):
                    break
            for call in (client.SystemService.StartSystem, lambda: client.PoseService.GetLatestPose(invalid)):
                for _ in range(TRIES):
                    try:
                        call()
                    except WaveposeError as error:
                        if failure(error):
                            break
