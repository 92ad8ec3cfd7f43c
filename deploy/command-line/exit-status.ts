/**
 * How a process of `wavepose` ends: its message on stderr and its exit code.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Console, Context, Effect, Exit, Layer, Option, Predicate } from "effect"
import { constants } from "node:os"
import { ClassRefused, refusedExitCode } from "../../protocols/ports/edge-feed.ts"
import type { LogFormat } from "../settings/log.ts"
import { InvalidArguments } from "../settings/invalid-command.ts"
import { ServiceSilent } from "../settings/service-silent.ts"

const invalidLine = 64
const unavailable = 69

/** The exit codes and their meanings; 64 and 69 are those of sysexits. A supervisor does not restart an egress that the gate closed. */
export const exitCodes: Readonly<Record<number, string>> = {
  0: "done",
  1: "failed, or problems were found",
  [refusedExitCode]: "closed by the privacy gate",
  [invalidLine]: "invalid command line",
  [unavailable]: "no service answers",
}

type Failure = { readonly _tag: string; readonly message: string }

/** Reports a failure in one line, and a defect with its whole cause. With the log as JSON the line is an entry of it. */
const report = (format: LogFormat) => (cause: Cause.Cause<Failure>): Effect.Effect<void> => {
  const failure = Cause.findErrorOption(cause)
  // The parser has already printed its errors with the help.
  const shown = Option.isSome(failure) && failure.value._tag === "ShowHelp"
  if (shown || Cause.hasInterruptsOnly(cause)) return Effect.void
  if (Option.isNone(failure)) return Effect.logError(cause)
  const { message } = failure.value
  return format === "json" ? Effect.logFatal(message) : Console.error(`wavepose: ${message}`)
}

/** What this process has to know about its command when a signal ends it. */
const Ending = Context.Reference("wavepose/Ending", { defaultValue: () => ({ runsUntilStopped: false }) })

/** A command without an end of its own: Ctrl-C and SIGTERM end it normally. Other commands have failed then, because their result is missing. */
export const untilStopped = <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.andThen(Effect.map(Ending, (ending) => void (ending.runsUntilStopped = true)), program)

const signals = ["SIGINT", "SIGTERM"] as const

const exitCodeOf = (exit: Exit.Exit<unknown, unknown>, whenStopped: number): number => {
  if (Exit.isSuccess(exit)) return 0
  if (Cause.hasInterruptsOnly(exit.cause)) return whenStopped
  const failure = Option.getOrNull(Cause.findErrorOption(exit.cause))
  if (failure instanceof ClassRefused) return refusedExitCode
  if (failure instanceof ServiceSilent) return unavailable
  const isInvalid = failure instanceof InvalidArguments || Predicate.isTagged(failure, "ShowHelp")
  return isInvalid ? invalidLine : 1
}

/** Runs the program of this process: reports its failure in the log, and exits with its code. */
export const runProcess = (
  program: Effect.Effect<void, Failure>,
  format: LogFormat,
  layerLog: Layer.Layer<never> = Layer.empty,
): void => {
  const ending = Ending.defaultValue()
  let received: typeof signals[number] = "SIGINT"
  const listeners = signals.map((signal) => [signal, () => void (received = signal)] as const)
  for (const [signal, listener] of listeners) process.on(signal, listener)
  program.pipe(
    Effect.provideService(Ending, ending),
    Effect.tapCause(report(format)),
    Effect.provide(layerLog),
    NodeRuntime.runMain({
      disableErrorReporting: true,
      teardown: (exit, onExit) => {
        for (const [signal, listener] of listeners) process.off(signal, listener)
        onExit(exitCodeOf(exit, ending.runsUntilStopped ? 0 : 128 + constants.signals[received]))
      },
    }),
  )
}
