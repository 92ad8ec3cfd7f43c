/**
 * What of a batch was left out, and why, as its acknowledgement says it.
 */
import type { ReducerCounters } from "../../core/reduction/reducer-counters.ts"
import type { Delivered } from "./delivery.ts"

export type Counters = Readonly<ReducerCounters>

/** How many frames were left out. */
export const leftOutCount = ({ invalid, late, linksFull, otherLayout, overflow }: Counters): number =>
  late + invalid + overflow + otherLayout + linksFull

/** What was counted since `before`, of frames that were left out and clocks that began anew. */
export const since = (before: Counters, now: Counters): Counters => ({
  ...now,
  late: now.late - before.late,
  invalid: now.invalid - before.invalid,
  overflow: now.overflow - before.overflow,
  otherLayout: now.otherLayout - before.otherLayout,
  linksFull: now.linksFull - before.linksFull,
  clockRestarts: now.clockRestarts - before.clockRestarts,
})

/** Why frames of a batch, or hops that waited when it came, were dropped. */
export const dropReason = (delivered: Delivered, givenUpHops: number, leftOut: Counters): string | null => {
  if (delivered === "inactive") return "The system is not running; start it with POST /api/v1/system/start."
  if (delivered === "removed") return "The environment of the router was removed; enrol the router again."
  if (delivered === "refused") return `The environment broke; ${givenUpHops} hops of observations were given up.`
  if (givenUpHops > 0) return `The environment does not answer; ${givenUpHops} hops of observations were given up.`
  return leftOutCount(leftOut) === 0 ? null : `CSI frames were left out: ${describe(leftOut)}.`
}

const describe = ({ invalid, late, linksFull, otherLayout, overflow }: Counters): string =>
  [
    [late, "late"],
    [invalid, "without a usable channel"],
    [overflow, "too many in one hop"],
    [otherLayout, "of another layout"],
    [linksFull, "of too many transmitters"],
  ].filter(([count]) => count as number > 0).map(([count, what]) => `${count} ${what}`).join(", ")
