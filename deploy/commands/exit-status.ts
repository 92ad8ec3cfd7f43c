/**
 * How a process of `wavepose` ends: what it says on stderr, and with which status. 0 when it is done or interrupted, 1 when it failed, and one of
 * its own when the privacy gate has closed its way out, so that whoever supervises it does not start it again.
 */
import { Cause, Console, Effect, Exit, Option, type Runtime } from "effect"
import { ClassRefused, refusedExitCode } from "../../protocols/ports/edge-feed.ts"

/** What went wrong, in one line where the failure is one of ours; with all that is known where it is a defect. */
export const report = (
  cause: Cause.Cause<{ readonly _tag: string; readonly message: string }>,
): Effect.Effect<void> => {
  const failure = Cause.findErrorOption(cause)
  // The command line's own mistakes are shown with the help already.
  const shown = Option.isSome(failure) && failure.value._tag === "ShowHelp"
  if (shown || Cause.hasInterruptsOnly(cause)) return Effect.void
  return Option.isSome(failure) ? Console.error(`wavepose: ${failure.value.message}`) : Effect.logError(cause)
}

export const teardown: Runtime.Teardown = (exit, onExit) => {
  // Ctrl-C is how a service is ended, not a failure of it.
  if (!Exit.isFailure(exit) || Cause.hasInterruptsOnly(exit.cause)) return onExit(0)
  const failure = Option.getOrNull(Cause.findErrorOption(exit.cause))
  onExit(failure instanceof ClassRefused ? refusedExitCode : 1)
}
