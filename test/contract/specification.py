"""Calls operations of the Python client: reads {url, form, password, calls} from stdin, writes a list of {status, answer} to stdout."""

import asyncio
import inspect
import json
import sys

import wavepose_client

given = json.load(sys.stdin)
clients = {
    "bare": (wavepose_client.Client, wavepose_client.AsyncClient),
    "envelope": (wavepose_client.EnvelopeClient, wavepose_client.AsyncEnvelopeClient),
}


async def main() -> list[dict]:
    results = []
    kind = clients[given["form"]][1 if given["asynchronous"] else 0]
    client = kind(given["url"], username="admin", password=given["password"])
    for call in given["calls"]:
        try:
            answer = getattr(client, call["method"])(*call["positional"], **call["named"])
            if inspect.isawaitable(answer):
                answer = await answer
            results.append({"status": 200, "answer": answer})
        except wavepose_client.WaveposeError as error:
            results.append({"status": error.status, "answer": {"code": error.code, "message": error.message}})
    return results


print(json.dumps(asyncio.run(main())))
