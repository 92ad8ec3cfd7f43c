"""Calls operations of a client that openapi-python-client made: reads {folder, url, token, form, calls} from stdin.

Writes a list of {status, answer} to stdout: the parsed models as JSON.
"""

import datetime
import enum
import importlib
import json
import pathlib
import sys
import typing

given = json.load(sys.stdin)
folder = pathlib.Path(given["folder"])
sys.path.insert(0, str(folder.parent))
package = importlib.import_module(folder.name)
client = package.AuthenticatedClient(base_url=given["url"], token=given["token"])


def members(hint: object) -> list:
    return [hint, *(found for part in typing.get_args(hint) for found in members(part))]


def typed(value: object, hint: object) -> object:
    """The value of a query or a body in a type that the client asks for."""
    for kind in members(hint):
        if isinstance(kind, type) and issubclass(kind, enum.Enum):
            return kind(value)
        if kind is datetime.datetime:
            return datetime.datetime.fromisoformat(str(value))
        if kind is bool:
            return value == "true"
        if isinstance(kind, type) and hasattr(kind, "from_dict") and isinstance(value, dict):
            return kind.from_dict(value)
    return value


def sent(value: object) -> object:
    """A value as the service sent it: the client has parsed its times and writes them in another way."""
    if isinstance(value, list):
        return [sent(one) for one in value]
    if isinstance(value, dict):
        return {key: sent(one) for key, one in value.items()}
    if isinstance(value, str) and value.endswith("+00:00"):
        return datetime.datetime.fromisoformat(value).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return value


def plain(parsed: object) -> object:
    if isinstance(parsed, list):
        return [plain(one) for one in parsed]
    return sent(parsed.to_dict()) if hasattr(parsed, "to_dict") else parsed


def answer(call: dict) -> dict:
    [file] = folder.glob(f"api/*/{call['method']}.py")
    module = importlib.import_module(f"{folder.name}.api.{file.parent.name}.{file.stem}")
    hints = typing.get_type_hints(module.sync_detailed)
    named = {name: typed(value, hints[name]) for name, value in call["named"].items()}
    positional = list(call["positional"])
    if "body" in hints:
        named["body"] = typed(positional.pop(), hints["body"])
    response = module.sync_detailed(*positional, client=client, form=typed(given["form"], hints["form"]), **named)
    return {"status": int(response.status_code), "answer": plain(response.parsed)}


print(json.dumps([answer(call) for call in given["calls"]]))
