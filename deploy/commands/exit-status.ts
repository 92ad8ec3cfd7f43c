/**
 * How a process of `wavepose` ends: its message on stderr and its exit code. 0: done or interrupted; 1: failed; `refusedExitCode`: the
 * privacy gate closed its egress, so that its supervisor does not restart it.
 */
import { Cause, Console, Effect, Exit, Option, type Runtime } from "effect"
import { ClassRefused, refusedExitCode } from "../../protocols/ports/edge-feed.ts"

/** Reports a failure in one line, and a defect with its whole cause. */
export const report = (
  cause: Cause.Cause<{ readonly _tag: string; readonly message: string }>,
): Effect.Effect<void> => {
  const failure = Cause.findErrorOption(cause)
  // The parser has already printed its errors with the help.
  const shown = Option.isSome(failure) && failure.value._tag === "ShowHelp"
  if (shown || Cause.hasInterruptsOnly(cause)) return Effect.void
  return Option.isSome(failure) ? Console.error(`wavepose: ${failure.value.message}`) : Effect.logError(cause)
}

export const teardown: Runtime.Teardown = (exit, onExit) => {
  // Ctrl-C ends a service normally.
  if (!Exit.isFailure(exit) || Cause.hasInterruptsOnly(exit.cause)) return onExit(0)
  const failure = Option.getOrNull(Cause.findErrorOption(exit.cause))
  onExit(failure instanceof ClassRefused ? refusedExitCode : 1)
}
