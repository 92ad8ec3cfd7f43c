/**
 * The newest record of every node, and who watches them.
 *
 * Invariants: a watcher gets first what every node said last, then everything later; a slow one loses what a newer record of the
 * same node supersedes, and delays nobody; a watcher holds one record a node at most.
 */
import { Effect, Queue, Stream } from "effect"
import type { EdgeRecord } from "../../protocols/domain/sensing.ts"

interface Watcher {
  readonly waiting: Map<string, EdgeRecord>
  /** Holds a token while something waits. */
  readonly wake: Queue.Queue<void>
}

export interface LatestRecords {
  /** Takes a record; one that says nothing new is dropped. */
  readonly put: (record: EdgeRecord) => void
  readonly forget: (nodeId: string) => void
  readonly all: () => ReadonlyArray<EdgeRecord>
  readonly watch: Stream.Stream<EdgeRecord>
}

const saysNothingNew = (record: EdgeRecord, known: EdgeRecord): boolean =>
  record.seenMs === known.seenMs && record.privacyClass === known.privacyClass &&
  record.entry.online === known.entry.online && record.entry.standing === known.entry.standing &&
  record.entry.signed === known.entry.signed

export const makeLatestRecords = (): LatestRecords => {
  const records = new Map<string, EdgeRecord>()
  const watchers = new Set<Watcher>()

  const offer = (watcher: Watcher, record: EdgeRecord): void => {
    watcher.waiting.set(record.nodeId, record)
    Queue.offerUnsafe(watcher.wake, undefined)
  }

  return {
    put: (record) => {
      const known = records.get(record.nodeId)
      if (known !== undefined && saysNothingNew(record, known)) return
      records.set(record.nodeId, record)
      for (const watcher of watchers) offer(watcher, record)
    },
    forget: (nodeId) => {
      records.delete(nodeId)
      for (const { waiting } of watchers) waiting.delete(nodeId)
    },
    all: () => [...records.values()].sort((a, b) => a.nodeId < b.nodeId ? -1 : 1),
    watch: Stream.unwrap(Effect.gen(function* () {
      const wake = yield* Queue.sliding<void>(1)
      const watcher: Watcher = { waiting: new Map(), wake }
      yield* Effect.acquireRelease(
        Effect.sync(() => watchers.add(watcher)),
        () => Effect.sync(() => watchers.delete(watcher)),
      )
      for (const record of records.values()) offer(watcher, record)
      return Stream.fromIterableEffectRepeat(Effect.map(Queue.take(wake), () => {
        const taken = [...watcher.waiting.values()]
        watcher.waiting.clear()
        return taken
      }))
    })),
  }
}
