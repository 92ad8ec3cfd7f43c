/**
 * The bridge's memory: the newest released record of every node, and when it arrived.
 *
 * Freshness is defined by event time: a record is fresh until its data are `staleAfterMs` old. The service states how old they were when it
 * received them; from then on this process counts, so that the two need not share a clock. A record is fresh only while the service reports
 * its node as online.
 */
import { heldAgeMs, latenessOfAge, staleAfterMs } from "../../protocols/domain/lateness.ts"
import type { EdgeRecord } from "../../protocols/domain/sensing.ts"
import type { BridgeRecord } from "../../protocols/bridge/bridge.ts"

interface Known {
  readonly released: BridgeRecord
  /** When the bridge received the record. */
  readonly atMs: number
  /** When the bridge first received its data: a record is repeated while there are no new data. */
  readonly sinceMs: number
}

/** A record and the age of its data. */
interface Aged {
  readonly released: BridgeRecord
  readonly ageMs: number
}

/** Nodes that are kept: as many as the service follows. */
const nodesMax = 4096

export interface Memory {
  readonly put: (released: BridgeRecord, nowMs: number) => void
  /** The record of a node; null if there is no fresh one. */
  readonly fresh: (nodeId: string, nowMs: number) => Aged | null
  /** The record of a node that is online, fresh or not; null if there is none. */
  readonly heard: (nodeId: string, nowMs: number) => Aged | null
  /** The newest record with sensing data; null if there is no fresh one. */
  readonly newest: (nowMs: number) => Aged | null
  /** Forgets a node that is no longer enrolled. */
  readonly forget: (nodeId: string) => void
  readonly isKnown: (nodeId: string) => boolean
  /** All nodes in the order of their ids. */
  readonly nodes: (nowMs: number) => ReadonlyArray<{ readonly released: BridgeRecord; readonly online: boolean }>
}

const isHeard = ({ atMs, released }: Known, nowMs: number): boolean =>
  released.record.entry.online && nowMs - atMs <= staleAfterMs

const aged = ({ released, sinceMs }: Known, nowMs: number): Aged => ({
  released,
  ageMs: heldAgeMs(released.record, Math.max(0, nowMs - sinceMs)),
})

const idOf = ({ nodeId }: EdgeRecord): string => nodeId

export const makeMemory = (): Memory => {
  const known = new Map<string, Known>()
  let newest: Known | null = null

  const heardOf = (one: Known | null | undefined, nowMs: number): Aged | null =>
    one == null || !isHeard(one, nowMs) ? null : aged(one, nowMs)
  const freshOf = (one: Known | null | undefined, nowMs: number): Aged | null => {
    const heard = heardOf(one, nowMs)
    return heard === null || latenessOfAge(heard.ageMs) === "stale" ? null : heard
  }

  return {
    put: (released, nowMs) => {
      const nodeId = idOf(released.record)
      const before = known.get(nodeId)
      if (before === undefined && known.size >= nodesMax) return
      const repeated = before !== undefined && before.released.record.seenMs === released.record.seenMs
      const one = { released, atMs: nowMs, sinceMs: repeated ? before.sinceMs : nowMs }
      known.set(nodeId, one)
      if (released.record.sensing === null || !released.record.entry.online) return
      // Of several nodes, the one whose record is not stale.
      if (freshOf(one, nowMs) !== null || freshOf(newest, nowMs) === null) newest = one
    },
    fresh: (nodeId, nowMs) => freshOf(known.get(nodeId), nowMs),
    heard: (nodeId, nowMs) => heardOf(known.get(nodeId), nowMs),
    newest: (nowMs) => freshOf(newest, nowMs),
    forget: (nodeId) => {
      known.delete(nodeId)
      if (newest !== null && idOf(newest.released.record) === nodeId) newest = null
    },
    isKnown: (nodeId) => known.has(nodeId),
    nodes: (nowMs) =>
      [...known.values()]
        .sort((a, b) => idOf(a.released.record) < idOf(b.released.record) ? -1 : 1)
        .map((one) => ({ released: one.released, online: isHeard(one, nowMs) })),
  }
}
