"""Reads frames of the Python client's streams while its sign-ins are revoked: {address, url, password, asynchronous} from stdin.

Writes {"socket": [ids, failures], "grpc": [ids, failures], "sign_ins": number} to stdout.
"""

import asyncio
import json
import sys
from concurrent.futures import ThreadPoolExecutor

import wavepose_client._backoff as backoff
import wavepose_client._client as _client
from wavepose_client import AsyncClient, Client, async_pose_stream, pose_stream
from wavepose_client.grpc import AsyncGrpcClient, GrpcClient, async_grpc_pose_stream, grpc_pose_stream

given = json.load(sys.stdin)
backoff.PAUSE_S_MIN = 0.01
failures: list[int] = []
pause_s = backoff.Backoff.pause_s


def counted(self: backoff.Backoff, error: Exception | None) -> float:
    failures.append(getattr(error, "status", 0))
    return pause_s(self, error)


backoff.Backoff.pause_s = counted
sign_ins = 0
signed_in = _client._Settings.signed_in


def counted_sign_in(self: _client._Settings, answer: dict) -> None:
    global sign_ins
    sign_ins += 1
    signed_in(self, answer)


_client._Settings.signed_in = counted_sign_in
user = {"username": "admin", "password": given["password"]}
changed = {"password": given["password"]}


def socket_id(update) -> int:
    return update["data"]["frame_id"]


def grpc_id(frame) -> int:
    return frame.frame_id


def revoke(client: Client) -> None:
    """Ends all sign-ins of the user, as a change of the password does."""
    client.put_auth_users_user_id(client.get_auth_users()["users"][0]["user_id"], changed)


async def async_revoke(client: AsyncClient) -> None:
    await client.put_auth_users_user_id((await client.get_auth_users())["users"][0]["user_id"], changed)


def read(stream, id_of, client) -> list[int]:
    """Ids until the first frame after the stream was rejected."""
    failures.clear()
    ids = [id_of(next(stream))]
    revoke(client)
    while not failures:
        ids.append(id_of(next(stream)))
    return ids


async def async_read(stream, id_of, client) -> list[int]:
    failures.clear()
    ids = [id_of(await anext(stream))]
    await async_revoke(client)
    while not failures:
        ids.append(id_of(await anext(stream)))
    return ids


def run() -> dict:
    with Client(given["url"], **user) as rest, GrpcClient(given["address"], rest=rest) as client:
        answer = {"socket": [read(pose_stream(rest), socket_id, rest), list(failures)]}
        answer["grpc"] = [read(grpc_pose_stream(client), grpc_id, rest), list(failures)]
        # The sign-in that revokes is revoked too.
        revoke(rest)
        client.PoseService.GetLatestPose()
        revoke(rest)
        rest.get_environments()
        revoke(rest)
        with ThreadPoolExecutor(4) as threads:
            for running in [threads.submit(call) for call in 2 * [rest.get_environments, client.PoseService.GetLatestPose]]:
                running.result()
        return {**answer, "sign_ins": sign_ins}


async def async_run() -> dict:
    async with AsyncClient(given["url"], **user) as rest, AsyncGrpcClient(given["address"], rest=rest) as client:
        answer = {"socket": [await async_read(async_pose_stream(rest), socket_id, rest), list(failures)]}
        answer["grpc"] = [await async_read(async_grpc_pose_stream(client), grpc_id, rest), list(failures)]
        await async_revoke(rest)
        await client.PoseService.GetLatestPose()
        await async_revoke(rest)
        await rest.get_environments()
        await async_revoke(rest)
        await asyncio.gather(*(call() for call in 2 * [rest.get_environments, client.PoseService.GetLatestPose]))
        return {**answer, "sign_ins": sign_ins}


print(json.dumps(asyncio.run(async_run()) if given["asynchronous"] else run()))
