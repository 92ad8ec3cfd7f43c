/**
 * The frames of a batch that were dropped, and the reason that its acknowledgement gives.
 */
import { droppedCount, droppedText, type ReducerCounters } from "../../core/reduction/reducer-counters.ts"
import type { Delivered } from "./delivery.ts"

export type Counters = Readonly<ReducerCounters>

/** The counts since `before`, of dropped frames and of clocks that were set back. */
export const since = (before: Counters, now: Counters): Counters => ({
  ...now,
  late: now.late - before.late,
  invalid: now.invalid - before.invalid,
  overflow: now.overflow - before.overflow,
  otherLayout: now.otherLayout - before.otherLayout,
  linksFull: now.linksFull - before.linksFull,
  clockRestarts: now.clockRestarts - before.clockRestarts,
})

/** Why all frames of a batch were dropped to stay in real time. */
export const shedReason = "The service is short of CPU: CSI frames that were old while newer ones waited were dropped."

/** Why frames of a batch, or hops that waited when it arrived, were dropped; null when none were. */
export const dropReason = (delivered: Delivered, droppedHops: number, dropped: Counters): string | null => {
  if (delivered === "inactive") return "The system is not running; start it with POST /api/v1/system/start."
  if (delivered === "removed") return "The environment of the router was removed; enrol the router again."
  if (delivered === "rejected") return `The environment broke; ${droppedHops} hops of observations were dropped.`
  if (droppedHops > 0) return `The environment does not answer; ${droppedHops} hops of observations were dropped.`
  return droppedCount(dropped) === 0 ? null : `CSI frames were dropped: ${droppedText(dropped)}.`
}
