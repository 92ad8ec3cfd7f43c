/**
 * The newest record of every node, and its watchers.
 *
 * Invariants: a watcher receives first the newest record of every node, then all later ones; a slow watcher loses records that a newer
 * record of the same node supersedes, and delays no other watcher; at most one record per node waits for a watcher.
 */
import { Effect, Queue, Stream } from "effect"
import type { EdgeRecord } from "../../protocols/domain/sensing.ts"

/** Records of one hop come within this time: a watcher takes them together, so that they leave in one write. */
const gatherMs = 20

interface Watcher {
  readonly waiting: Map<string, EdgeRecord>
  /** Holds a token while a record waits. */
  readonly wake: Queue.Queue<void>
}

export interface LatestRecords {
  /** Adds a record. A record without changes is dropped. */
  readonly put: (record: EdgeRecord) => void
  readonly forget: (nodeId: string) => void
  readonly all: () => ReadonlyArray<EdgeRecord>
  readonly watch: Stream.Stream<EdgeRecord>
}

const isUnchanged = (record: EdgeRecord, known: EdgeRecord): boolean =>
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
      if (known !== undefined && isUnchanged(record, known)) return
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
      return Stream.fromIterableEffectRepeat(
        Effect.map(Effect.andThen(Queue.take(wake), Effect.sleep(gatherMs)), () => {
          const taken = [...watcher.waiting.values()]
          watcher.waiting.clear()
          return taken
        }),
      )
    })),
  }
}
