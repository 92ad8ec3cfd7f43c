/**
 * What the bridge knows: the newest released record of every node, and when it came.
 *
 * Freshness is this process's own: a record is fresh for `staleAfterMs` after the bridge got it, by a clock that the service need not
 * share, and only while the service says that its node is heard.
 */
import { type EdgeRecord, staleAfterMs } from "../../protocols/domain/sensing.ts"
import type { BridgeRecord } from "../../protocols/http/bridge.ts"

interface Known {
  readonly released: BridgeRecord
  readonly atMs: number
}

/** Nodes that are remembered: as many as the service follows. */
const nodesMax = 4096

export interface Memory {
  readonly put: (released: BridgeRecord, nowMs: number) => void
  /** The record of a node; null when there is none that is fresh. */
  readonly fresh: (nodeId: string, nowMs: number) => BridgeRecord | null
  /** The newest record with something sensed, and how old it is; null when there is none that is fresh. */
  readonly newest: (nowMs: number) => { readonly released: BridgeRecord; readonly ageMs: number } | null
  /** Forgets a node: there is none of this id any more. */
  readonly forget: (nodeId: string) => void
  readonly isKnown: (nodeId: string) => boolean
  /** All nodes in the order of their ids. */
  readonly nodes: (nowMs: number) => ReadonlyArray<{ readonly released: BridgeRecord; readonly online: boolean }>
}

const isFresh = ({ atMs, released }: Known, nowMs: number): boolean =>
  released.record.entry.online && nowMs - atMs <= staleAfterMs

const idOf = ({ nodeId }: EdgeRecord): string => nodeId

export const makeMemory = (): Memory => {
  const known = new Map<string, Known>()
  let newest: Known | null = null
  return {
    put: (released, nowMs) => {
      const nodeId = idOf(released.record)
      if (!known.has(nodeId) && known.size >= nodesMax) return
      const one = { released, atMs: nowMs }
      known.set(nodeId, one)
      if (released.record.sensing !== null && released.record.entry.online) newest = one
    },
    fresh: (nodeId, nowMs) => {
      const one = known.get(nodeId)
      return one !== undefined && isFresh(one, nowMs) ? one.released : null
    },
    newest: (nowMs) =>
      newest !== null && isFresh(newest, nowMs)
        ? { released: newest.released, ageMs: Math.max(0, nowMs - newest.atMs) }
        : null,
    forget: (nodeId) => {
      known.delete(nodeId)
      if (newest !== null && idOf(newest.released.record) === nodeId) newest = null
    },
    isKnown: (nodeId) => known.has(nodeId),
    nodes: (nowMs) =>
      [...known.values()]
        .sort((a, b) => idOf(a.released.record) < idOf(b.released.record) ? -1 : 1)
        .map((one) => ({ released: one.released, online: isFresh(one, nowMs) })),
  }
}
