/**
 * Details of a gRPC status, as clients of any language read them: `google.rpc.Status` with `ErrorInfo`,
 * `RequestInfo`, `BadRequest` and `RetryInfo` (googleapis), encoded for the trailer `grpc-status-details-bin`.
 *
 * Boundary: which details a failure has is decided in `gateways/grpc/status.ts`.
 */
import protobuf from "protobufjs/minimal.js"

/** The trailer that holds an encoded `google.rpc.Status`. */
export const statusDetailsTrailer = "grpc-status-details-bin"

export interface StatusDetails {
  /** Number of the gRPC status. */
  readonly code: number
  readonly message: string
  /** Code of the error, e.g. `VALIDATION_ERROR`, and its details as text. */
  readonly reason: string
  readonly metadata: Readonly<Record<string, string>>
  readonly requestId: string
  /** The invalid fields of a request. */
  readonly fields: ReadonlyArray<{ readonly field: string; readonly description: string }>
  /** Seconds after which a retry may succeed; null if a retry does not help or the time is not known. */
  readonly retryAfterS: number | null
}

/** The domain of all reasons (`google.rpc.ErrorInfo.domain`). */
const domain = "wavepose"

type Fill = (writer: protobuf.Writer) => protobuf.Writer

const delimited = 2
const tag = (field: number): number => field * 8 + delimited
const text = (field: number, value: string): Fill => (writer) => writer.uint32(tag(field)).string(value)
const message = (field: number, ...parts: ReadonlyArray<Fill>): Fill => (writer) =>
  parts.reduce((filled, part) => part(filled), writer.uint32(tag(field)).fork()).ldelim()

/** One `google.protobuf.Any` in `google.rpc.Status.details`. */
const detail = (type: string, ...parts: ReadonlyArray<Fill>): Fill =>
  message(3, text(1, `type.googleapis.com/google.rpc.${type}`), message(2, ...parts))

/** The encoded `google.rpc.Status`. */
export const encodeStatusDetails = (status: StatusDetails): Uint8Array => {
  const { code, fields, metadata, reason, requestId, retryAfterS } = status
  const entries = Object.entries(metadata).map(([key, value]) => message(3, text(1, key), text(2, value)))
  const parts: ReadonlyArray<Fill> = [
    (writer) => writer.uint32(8).int32(code),
    text(2, status.message),
    detail("ErrorInfo", text(1, reason), text(2, domain), ...entries),
    detail("RequestInfo", text(1, requestId)),
    ...(fields.length === 0 ? [] : [detail(
      "BadRequest",
      ...fields.map(({ description, field }) => message(1, text(1, field), text(2, description))),
    )]),
    ...(retryAfterS === null ? [] : [detail("RetryInfo", message(1, (writer) => writer.uint32(8).int64(retryAfterS)))]),
  ]
  return parts.reduce((writer, part) => part(writer), protobuf.Writer.create()).finish()
}
