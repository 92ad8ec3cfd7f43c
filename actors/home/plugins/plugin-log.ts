/**
 * The log of a plugin: its lines are values of a field, so that they cannot be taken for other lines or fields, and their rate is limited.
 */
import { Clock, Effect } from "effect"
import { createTokenBucket } from "../../../core/activity/token-bucket.ts"

const lengthMax = 4_096
/** Lines per second, and at once; further ones are left out and counted. */
const linesPerS = 10
const linesBurst = 200

type PluginLevel = "debug" | "info" | "warn" | "error"
/** Logs a line now. */
export type PluginLog = (level: PluginLevel, line: string) => void

const levels = { debug: Effect.logDebug, info: Effect.logInfo, warn: Effect.logWarning, error: Effect.logError }

export const makePluginLog = Effect.fnUntraced(function* (plugin: string): Effect.fn.Return<PluginLog> {
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const clock = yield* Clock.Clock
  const lines = createTokenBucket({ burst: linesBurst, perS: linesPerS })
  let leftOut = 0
  return (level, line) => {
    if (!lines.take(clock.currentTimeMillisUnsafe() / 1_000)) return void (leftOut += 1)
    const fields = { plugin, text: line.slice(0, lengthMax), ...(leftOut === 0 ? {} : { left_out: leftOut }) }
    leftOut = 0
    run(levels[level]("plugin output", fields))
  }
})
