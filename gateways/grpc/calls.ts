/**
 * Calls of grpc-js as effects: each call runs as a fiber that ends with the call, and writing waits for the reader.
 */
import * as grpc from "@grpc/grpc-js"
import { Cause, Effect, Exit, type Fiber } from "effect"
import { type CallFailure, statusOf } from "./status.ts"

/** Starts a fiber; it is interrupted when the server's scope closes. */
export type Run = <A>(effect: Effect.Effect<A, CallFailure>) => Fiber.Fiber<A, CallFailure>

type Status = ReturnType<typeof statusOf>

/** The parts of a server call that a fiber is bound to. */
interface Cancellable {
  on(event: "cancelled", listener: () => void): unknown
}

/** Runs `effect` for a call. Cancelling the call interrupts it; its result is passed to `done`. */
export const serveCall = <A>(
  run: Run,
  call: Cancellable,
  effect: Effect.Effect<A, CallFailure>,
  done: (result: { readonly value: A } | { readonly status: Status }) => void,
): void => {
  const fiber = run(
    Effect.tapCause(
      effect,
      (cause) => Cause.hasDies(cause) ? Effect.logError("gRPC call failed unexpectedly", cause) : Effect.void,
    ),
  )
  call.on("cancelled", () => fiber.interruptUnsafe())
  fiber.addObserver((exit) =>
    done(Exit.isSuccess(exit) ? { value: exit.value } : { status: statusOfCause(exit.cause) })
  )
}

/** As `serveCall`, for a call with a streamed response, which ends with the effect. */
export const serveStream = (
  run: Run,
  call: Cancellable & { emit(event: "error", status: Status): unknown; end(): unknown },
  effect: Effect.Effect<void, CallFailure>,
): void => serveCall(run, call, effect, (result) => "status" in result ? call.emit("error", result.status) : call.end())

const statusOfCause = (cause: Cause.Cause<CallFailure>): Status => {
  const failure = Cause.findErrorOption(cause)
  if (failure._tag === "Some") return statusOf(failure.value)
  return Cause.hasInterruptsOnly(cause)
    ? { code: grpc.status.CANCELLED, details: "The call was cancelled." }
    : { code: grpc.status.INTERNAL, details: "The call failed inside the server. The server log has the cause." }
}

/** The writing side of a streaming call. */
interface Writing<A> {
  write(message: A): boolean
  once(event: "drain", listener: () => void): unknown
  off(event: "drain", listener: () => void): unknown
}

/** Writes a message and waits until the stream accepts more, so that messages for a slow reader do not accumulate. */
export const write = <A>(call: Writing<A>, message: A): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (call.write(message)) return resume(Effect.void)
    const drained = () => resume(Effect.void)
    call.once("drain", drained)
    return Effect.sync(() => call.off("drain", drained))
  })
