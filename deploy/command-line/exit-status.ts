/**
 * How a process of `wavepose` ends: its message on stderr and its exit code.
 */
import { Cause, Console, Effect, Exit, Option, Predicate, type Runtime } from "effect"
import { ClassRefused, refusedExitCode } from "../../protocols/ports/edge-feed.ts"
import type { LogFormat } from "../settings/log.ts"
import { ServiceSilent } from "../settings/service-silent.ts"

const invalidLine = 64
const unavailable = 69

/** The exit codes and their meanings; 64 and 69 are those of sysexits. A supervisor does not restart an egress that the gate closed. */
export const exitCodes: Readonly<Record<number, string>> = {
  0: "done or interrupted",
  1: "failed, or problems were found",
  [refusedExitCode]: "closed by the privacy gate",
  [invalidLine]: "invalid command line",
  [unavailable]: "no service answers",
}

/** Reports a failure in one line, and a defect with its whole cause. With the log as JSON the line is an entry of it. */
export const report =
  (format: LogFormat) =>
  (cause: Cause.Cause<{ readonly _tag: string; readonly message: string }>): Effect.Effect<void> => {
    const failure = Cause.findErrorOption(cause)
    // The parser has already printed its errors with the help.
    const shown = Option.isSome(failure) && failure.value._tag === "ShowHelp"
    if (shown || Cause.hasInterruptsOnly(cause)) return Effect.void
    if (Option.isNone(failure)) return Effect.logError(cause)
    const { message } = failure.value
    return format === "json" ? Effect.logFatal(message) : Console.error(`wavepose: ${message}`)
  }

export const teardown: Runtime.Teardown = (exit, onExit) => {
  // Ctrl-C ends a service normally.
  if (!Exit.isFailure(exit) || Cause.hasInterruptsOnly(exit.cause)) return onExit(0)
  const failure = Option.getOrNull(Cause.findErrorOption(exit.cause))
  if (failure instanceof ClassRefused) return onExit(refusedExitCode)
  if (failure instanceof ServiceSilent) return onExit(unavailable)
  onExit(Predicate.isTagged(failure, "ShowHelp") ? invalidLine : 1)
}
