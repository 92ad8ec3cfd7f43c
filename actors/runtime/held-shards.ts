/** The shards that this node holds, as its calls to the storage show. */
import type { ShardId } from "effect/cluster"
import type { ClusterReport } from "../../protocols/ports/cluster-report.ts"

/** Counts are since the start of the process. */
export class HeldShards {
  readonly #held = new Set<string>()
  #acquired = 0
  #released = 0
  #lost = 0
  refreshFailures = 0
  refreshMs: number | null = null

  /** The number of shards. */
  get size(): number {
    return this.#held.size
  }

  get counts(): Omit<ClusterReport, "members"> {
    return {
      shards: this.#held.size,
      acquired: this.#acquired,
      released: this.#released,
      lost: this.#lost,
      refreshFailures: this.refreshFailures,
      refreshMs: this.refreshMs,
    }
  }

  acquired(shards: Iterable<ShardId.ShardId>): void {
    for (const shard of shards) {
      if (this.#held.has(String(shard))) continue
      this.#held.add(String(shard))
      this.#acquired++
    }
  }

  released(shard: ShardId.ShardId): void {
    if (this.#held.delete(String(shard))) this.#released++
  }

  releasedAll(): void {
    this.#released += this.#held.size
    this.#held.clear()
  }

  refreshed(asked: Iterable<ShardId.ShardId>, there: ReadonlyArray<ShardId.ShardId>): void {
    const kept = new Set(there.map(String))
    for (const shard of asked) if (!kept.has(String(shard)) && this.#held.delete(String(shard))) this.#lost++
  }
}
