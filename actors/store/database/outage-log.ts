/**
 * What the log says of failed statements: one that the database refused, always; an outage, in which hundreds fail each second, by its begin, a
 * reminder, and its end with their number.
 *
 * Boundary: one process has one database, so the outage is state of the module.
 */
import { Clock, Effect } from "effect"
import type { SqlError } from "effect/sql"
import { whyOf } from "./connection-failure.ts"

const remindMs = 30_000
/** The outage is over when a statement succeeds so long after the last that failed. */
const calmMs = 1_000

interface Outage {
  readonly sinceMs: number
  lastMs: number
  saidMs: number
  failures: number
}

let outage: Outage | null = null

const seconds = (ms: number): string => (ms / 1000).toFixed(1)

export const logFailure = Effect.fnUntraced(function* (error: SqlError.SqlError) {
  const { reason } = error
  if (reason._tag !== "ConnectionError") return yield* Effect.logError("the database refused a statement", error)
  const nowMs = yield* Clock.currentTimeMillis
  const current = outage ??= { sinceMs: nowMs, lastMs: nowMs, saidMs: -Infinity, failures: 0 }
  current.lastMs = nowMs
  current.failures++
  if (nowMs - current.saidMs < remindMs) return
  const before = current.failures === 1
    ? ""
    : ` for ${seconds(nowMs - current.sinceMs)} s, failures=${current.failures}`
  current.saidMs = nowMs
  yield* Effect.logError(`the database cannot be reached${before}: ${whyOf(reason.cause)}`)
})

/** A statement succeeded. */
export const logAnswer: Effect.Effect<void> = Effect.suspend(() => outage === null ? Effect.void : logEnd(outage))

const logEnd = Effect.fnUntraced(function* (current: Outage) {
  const nowMs = yield* Clock.currentTimeMillis
  if (outage !== current || nowMs - current.lastMs < calmMs) return
  outage = null
  yield* Effect.logInfo(
    `the database answers again after ${seconds(nowMs - current.sinceMs)} s, failures=${current.failures}`,
  )
})
