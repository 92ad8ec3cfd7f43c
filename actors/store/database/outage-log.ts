/**
 * Logs failed statements. Each statement that the database rejects is logged. During an outage hundreds fail per second, so its beginning, a
 * reminder every `remindMs`, and its end with the number of failures are logged.
 *
 * One process has one database, so the outage is state of the module.
 */
import { Clock, Effect } from "effect"
import type { SqlError } from "effect/sql"
import { whyOf } from "./connection-failure.ts"

const remindMs = 30_000
/** An outage is over when a statement succeeds at least this long after the last failure. */
const calmMs = 1_000

interface Outage {
  readonly sinceMs: number
  lastMs: number
  loggedMs: number
  failures: number
}

let outage: Outage | null = null

const seconds = (ms: number): string => (ms / 1000).toFixed(1)

export const logFailure = Effect.fnUntraced(function* (error: SqlError.SqlError) {
  const { reason } = error
  if (reason._tag !== "ConnectionError") return yield* Effect.logError("the database refused a statement", error)
  const nowMs = yield* Clock.currentTimeMillis
  const current = outage ??= { sinceMs: nowMs, lastMs: nowMs, loggedMs: -Infinity, failures: 0 }
  current.lastMs = nowMs
  current.failures++
  if (nowMs - current.loggedMs < remindMs) return
  const before = current.failures === 1
    ? ""
    : ` for ${seconds(nowMs - current.sinceMs)} s, failures=${current.failures}`
  current.loggedMs = nowMs
  yield* Effect.logError(`the database cannot be reached${before}: ${whyOf(reason.cause)}`)
})

/** To be run after a successful statement. */
export const logAnswer: Effect.Effect<void> = Effect.suspend(() => outage === null ? Effect.void : logEnd(outage))

const logEnd = Effect.fnUntraced(function* (current: Outage) {
  const nowMs = yield* Clock.currentTimeMillis
  if (outage !== current || nowMs - current.lastMs < calmMs) return
  outage = null
  yield* Effect.logInfo(
    `the database answers again after ${seconds(nowMs - current.sinceMs)} s, failures=${current.failures}`,
  )
})
