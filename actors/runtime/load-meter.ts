/**
 * The load of this node: the processor time of the process, and the time that the actors of each environment spend on its hops.
 *
 * Boundary: actors add what they measured; `balancer.ts` takes it. Work that is not in an actor (gateways, the store) counts for the node only.
 */
import { Clock, Context, Effect } from "effect"
import process from "node:process"
import { sensingGroup } from "../../protocols/messages/shard-groups.ts"
import type { Load } from "./placements.ts"

export interface LoadMeter {
  readonly add: (environmentId: string, workMs: number) => void
  /** The load since the last call. */
  readonly take: Effect.Effect<Load>
}

/** The meter of the node's actors; without one nothing is measured. */
export const CurrentLoadMeter = Context.Reference<LoadMeter>("wavepose/actors/LoadMeter", {
  defaultValue: () => ({ add: () => {}, take: Effect.succeed({ cores: 0, groups: new Map() }) }),
})

/** Processor time of this process since its start, milliseconds. */
const ownProcessorMs = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

export const makeLoadMeter = (processorMs: () => number = ownProcessorMs): Effect.Effect<LoadMeter> =>
  Effect.map(Clock.monotonicTimeNanos, (startNs) => {
    const workMs = new Map<string, number>()
    let before = { ns: startNs, processorMs: processorMs() }
    return {
      add: (environmentId, ms) => {
        const group = sensingGroup(environmentId)
        workMs.set(group, (workMs.get(group) ?? 0) + ms)
      },
      take: Effect.map(Clock.monotonicTimeNanos, (ns) => {
        const now = { ns, processorMs: processorMs() }
        const passedMs = Math.max(1, Number(now.ns - before.ns) / 1e6)
        const usedMs = now.processorMs - before.processorMs
        const measuredMs = [...workMs.values()].reduce((sum, ms) => sum + ms, 0)
        // On a busy machine the time of actors contains waiting: together they have no more than the process has used.
        const scale = Math.min(1, usedMs / Math.max(measuredMs, 1)) / passedMs
        const load = {
          cores: usedMs / passedMs,
          groups: new Map([...workMs].map(([group, ms]) => [group, ms * scale])),
        }
        before = now
        workMs.clear()
        return load
      }),
    }
  })
