"""The error of a gRPC call, in the terms of the other clients."""

from __future__ import annotations

from typing import Any

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from ._error import WaveposeError

_TEXT, _BYTES, _INT64, _MESSAGE = 9, 12, 3, 11


def _rpc_messages() -> Any:
    """The parts of google.rpc that the service sends, in a pool of their own."""
    file = descriptor_pb2.FileDescriptorProto(name="wavepose_client/rpc.proto", package="rpc", syntax="proto3")
    shapes: dict[str, list[tuple[str, int, int, bool, str]]] = {
        "Any": [("type_url", 1, _TEXT, False, ""), ("value", 2, _BYTES, False, "")],
        "Status": [("details", 3, _MESSAGE, True, ".rpc.Any")],
        "Entry": [("key", 1, _TEXT, False, ""), ("value", 2, _TEXT, False, "")],
        "ErrorInfo": [("reason", 1, _TEXT, False, ""), ("metadata", 3, _MESSAGE, True, ".rpc.Entry")],
        "RequestInfo": [("request_id", 1, _TEXT, False, "")],
        "Violation": [("field", 1, _TEXT, False, ""), ("description", 2, _TEXT, False, "")],
        "BadRequest": [("field_violations", 1, _MESSAGE, True, ".rpc.Violation")],
        "Delay": [("seconds", 1, _INT64, False, "")],
        "RetryInfo": [("retry_delay", 1, _MESSAGE, False, ".rpc.Delay")],
    }
    for name, fields in shapes.items():
        message = file.message_type.add(name=name)
        for field, number, kind, repeated, type_name in fields:
            message.field.add(
                name=field, number=number, type=kind, label=3 if repeated else 1, type_name=type_name or None
            )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"rpc.{name}")) for name in shapes}


_messages = _rpc_messages()

# HTTP statuses of gRPC statuses.
_STATUS = {
    grpc.StatusCode.INVALID_ARGUMENT: 422,
    grpc.StatusCode.OUT_OF_RANGE: 422,
    grpc.StatusCode.UNAUTHENTICATED: 401,
    grpc.StatusCode.PERMISSION_DENIED: 403,
    grpc.StatusCode.NOT_FOUND: 404,
    grpc.StatusCode.ALREADY_EXISTS: 409,
    grpc.StatusCode.ABORTED: 412,
    grpc.StatusCode.RESOURCE_EXHAUSTED: 429,
    grpc.StatusCode.INTERNAL: 500,
    grpc.StatusCode.UNKNOWN: 500,
    grpc.StatusCode.UNIMPLEMENTED: 501,
    grpc.StatusCode.FAILED_PRECONDITION: 503,
    grpc.StatusCode.DEADLINE_EXCEEDED: 504,
}

# HTTP statuses of reasons, where a gRPC status stands for several.
_STATUS_OF_REASON = {
    "CONFLICT": 409,
    "PAYLOAD_TOO_LARGE": 413,
    "RATE_LIMIT_EXCEEDED": 429,
    "HARDWARE_ERROR": 502,
    "SERVICE_UNAVAILABLE": 503,
}
_STANDS_FOR_SEVERAL = (grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.RESOURCE_EXHAUSTED)


def _details(trailers: Any) -> dict[str, Any]:
    for key, value in trailers or ():
        if key == "grpc-status-details-bin":
            names = {each.type_url.rsplit(".", 1)[-1]: each.value for each in _messages["Status"].FromString(value).details}
            return {name: _messages[name].FromString(encoded) for name, encoded in names.items() if name in _messages}
    return {}


def error_of(error: Any) -> WaveposeError:
    """The failure of a call."""
    code = error.code()
    found = _details(error.trailing_metadata())
    info = found.get("ErrorInfo")
    status = _STATUS.get(code, 0)
    if code is grpc.StatusCode.UNAVAILABLE and info is not None:
        status = 503
    if code in _STANDS_FOR_SEVERAL and info is not None:
        status = _STATUS_OF_REASON.get(info.reason, status)
    details: dict[str, Any] = {} if info is None else {entry.key: entry.value for entry in info.metadata}
    if "BadRequest" in found:
        details["errors"] = [
            {"field": each.field, "description": each.description} for each in found["BadRequest"].field_violations
        ]
    unanswered = code is grpc.StatusCode.UNAVAILABLE
    return WaveposeError(
        error.details() or f"The call failed: {code.name}.",
        status=status,
        code=info.reason if info is not None else "NO_ANSWER" if unanswered else code.name,
        details=details,
        request_id=found["RequestInfo"].request_id if "RequestInfo" in found else None,
        retry_after_s=float(found["RetryInfo"].retry_delay.seconds) if "RetryInfo" in found else None,
    )
