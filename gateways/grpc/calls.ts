/**
 * Calls of grpc-js as effects: each call runs as a fiber that ends with the call, and writing waits for the reader.
 */
import * as grpc from "@grpc/grpc-js"
import { Cause, Effect, Exit, type Fiber, Result } from "effect"
import { MalformedRequest, Unexpected } from "../../protocols/pose-api/edge-failures.ts"
import { type CallFailure, type CallStatus, statusOf } from "./status.ts"

const unreadable = new MalformedRequest({
  part: "request",
  message: "The request is not a message of this method. Generate the client from the .proto files of this version.",
})

/** Reads a request, whose bytes may be any. */
export const readRequest = <A>(read: (bytes: Uint8Array) => A, bytes: Uint8Array): Effect.Effect<A, MalformedRequest> =>
  Effect.fromResult(Result.try({ try: () => read(bytes), catch: () => unreadable }))

/** Starts a fiber; it is interrupted when the server's scope closes. */
export type Run = <A>(effect: Effect.Effect<A, CallFailure>) => Fiber.Fiber<A, CallFailure>

/** The parts of a server call that a fiber is bound to. */
interface Cancellable {
  on(event: "cancelled", listener: () => void): unknown
}

/** A call with a streamed response. */
export type Streaming = Cancellable & { emit(event: "error", status: CallStatus): unknown; end(): unknown }

/** Runs `effect` for a call. Cancelling the call interrupts it; its result is passed to `done`. */
export const serveCall = <A>(
  run: Run,
  call: Cancellable,
  requestId: string,
  effect: Effect.Effect<A, CallFailure>,
  done: (result: { readonly value: A } | { readonly status: CallStatus }) => void,
): void => {
  const fiber = run(
    Effect.tapCause(
      effect,
      (cause) =>
        Cause.hasDies(cause)
          ? Effect.annotateLogs(Effect.logError("gRPC call failed unexpectedly", cause), { request_id: requestId })
          : Effect.void,
    ),
  )
  call.on("cancelled", () => fiber.interruptUnsafe())
  fiber.addObserver((exit) =>
    done(Exit.isSuccess(exit) ? { value: exit.value } : { status: statusOfCause(exit.cause, requestId) })
  )
}

/** As `serveCall`, for a call with a streamed response, which ends with the effect. */
export const serveStream = (
  run: Run,
  call: Streaming,
  requestId: string,
  effect: Effect.Effect<void, CallFailure>,
): void =>
  serveCall(
    run,
    call,
    requestId,
    effect,
    (result) => "status" in result ? call.emit("error", result.status) : call.end(),
  )

const statusOfCause = (cause: Cause.Cause<CallFailure>, requestId: string): CallStatus => {
  const failure = Cause.findErrorOption(cause)
  if (failure._tag === "Some") return statusOf(failure.value, requestId)
  if (Cause.hasInterruptsOnly(cause)) {
    return { code: grpc.status.CANCELLED, details: "The call was cancelled.", metadata: new grpc.Metadata() }
  }
  const message = `An unexpected error occurred. Tell the operator the request id ${requestId}.`
  return statusOf(new Unexpected({ message }), requestId)
}

/** The writing side of a streaming call. */
interface Writing<A> extends Draining {
  write(message: A): boolean
}

/** A stream that may be full. */
interface Draining {
  /** Whether it is full. False once it is destroyed. */
  readonly writableNeedDrain: boolean
  once(event: "drain" | "close", listener: () => void): unknown
  off(event: "drain" | "close", listener: () => void): unknown
}

/** Waits until a full stream accepts more, or has closed: the stream of a cancelled call never drains. */
export const waitForRoom = (call: Draining): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (!call.writableNeedDrain) return resume(Effect.void)
    const forget = () => {
      call.off("drain", go)
      call.off("close", go)
    }
    const go = () => {
      forget()
      resume(Effect.void)
    }
    call.once("drain", go)
    call.once("close", go)
    return Effect.sync(forget)
  })

/** Writes a message and waits until the stream accepts more, so that messages for a slow reader do not accumulate. */
export const write = <A>(call: Writing<A>, message: A): Effect.Effect<void> =>
  Effect.suspend(() => call.write(message) ? Effect.void : waitForRoom(call))
