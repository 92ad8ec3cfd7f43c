/** The locks of a node's shards on PostgreSQL: they stay while the event loop is blocked, and their loss is reported. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Fiber, Layer, Option, Redacted } from "effect"
import { Runner, RunnerAddress, RunnerStorage, ShardId, ShardingConfig } from "effect/cluster"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PeerLeases } from "../../../../actors/runtime/peer-leases.ts"
import { layerPeerLeases, layerShardLocks } from "../../../../actors/store/database/shard-locks.ts"
import { type DatabaseLink, linkTo } from "../../../harness/database-link.ts"
import { hasPostgres, startPostgres, type TestPostgres } from "../../../harness/postgres.ts"
import { eventually } from "../../../harness/service.ts"

const group = "sensing"
const shards = [1, 2, 3].map((number) => ShardId.make(group, number))
const groupShards = Array.from({ length: 8 }, (_, i) => ShardId.make(group, i + 1))
const blockedMs = 8_000
/** Each way. A release has two statements, and a time limit of three seconds. */
const slowMs = 500
/** The time limit that the cluster sets for a refresh. */
const refreshTimeout = "3 seconds"

const addressOf = (port: number) => RunnerAddress.make("127.0.0.1", port)

describe.skipIf(!await hasPostgres())("locks of shards", () => {
  let postgres: TestPostgres
  beforeAll(async () => {
    postgres = (await startPostgres())!
  }, 60_000)
  afterAll(() => postgres?.stop())

  /** Runs a test with the storage of a node; its locks are on a port of its own. */
  const onNode = <A, E>(
    port: number,
    test: Effect.Effect<A, E, RunnerStorage.RunnerStorage | PeerLeases | PgClient.PgClient>,
    url = postgres.url,
  ) => {
    const config = ShardingConfig.layer({
      runnerAddress: Option.some(addressOf(port)),
      availableShardGroups: [group],
      shardsPerGroup: groupShards.length,
      shardLockExpiration: "9 seconds",
      shardLockRefreshInterval: "3 seconds",
    })
    return test.pipe(
      Effect.provide(
        Layer.merge(layerShardLocks(url).pipe(Layer.provide(config)), layerPeerLeases).pipe(
          Layer.provideMerge(PgClient.layer({ url: Redacted.make(postgres.url) })),
        ),
      ),
    )
  }

  it(`stay while the event loop is blocked for ${blockedMs / 1000} s, and peers know`, async () => {
    const kept = await Effect.runPromise(onNode(
      1,
      Effect.gen(function* () {
        const { acquire, refresh, register } = yield* RunnerStorage.RunnerStorage
        yield* register(Runner.make({ address: addressOf(1), groups: [group], weight: 1 }), true)
        const acquired = yield* acquire(addressOf(1), shards)
        yield* refresh(addressOf(1), shards)
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, blockedMs)
        const held = yield* Effect.timeout(refresh(addressOf(1), shards), refreshTimeout)
        const leases = yield* PeerLeases
        yield* leases.end(addressOf(1))
        const connected = yield* leases.isConnected(addressOf(1))
        const lapsed = yield* leases.hasLapsed(addressOf(1))
        const other = yield* Effect.promise(() =>
          Effect.runPromise(onNode(
            2,
            Effect.flatMap(RunnerStorage.RunnerStorage, (storage) => storage.acquire(addressOf(2), shards)),
          ))
        )
        return { acquired, held, connected, lapsed, other }
      }),
    ))
    expect(kept).toEqual({ acquired: shards, held: shards, connected: true, lapsed: false, other: [] })
  }, 60_000)

  it("are reported as lost when a peer has ended their session, and can be taken again", async () => {
    const found = await Effect.runPromise(onNode(
      3,
      Effect.gen(function* () {
        const { acquire, refresh } = yield* RunnerStorage.RunnerStorage
        const leases = yield* PeerLeases
        yield* acquire(addressOf(3), shards)
        // It is not registered, so it has not renewed.
        yield* leases.end(addressOf(3))
        const held = yield* Effect.repeat(refresh(addressOf(3), shards), { until: (there) => there.length === 0 })
        return {
          held,
          again: yield* acquire(addressOf(3), shards),
          connected: yield* Effect.forEach([3, 4], (port) => leases.isConnected(addressOf(port))),
        }
      }),
    ))
    expect(found).toEqual({ held: [], again: shards, connected: [true, false] })
  }, 60_000)

  it("are released together on a slow link, and are free then", async () => {
    let releases = 0
    const link: DatabaseLink = await linkTo(postgres.url, {
      onSent: (_, bytes) => void (releases += bytes.toString("latin1").split("pg_advisory_unlock(").length - 1),
    })
    const found = await Effect.runPromise(onNode(
      5,
      Effect.gen(function* () {
        const { acquire, refresh, release } = yield* RunnerStorage.RunnerStorage
        yield* acquire(addressOf(5), groupShards)
        link.delay(slowMs)
        let released = 0
        const releasing = yield* Effect.forkChild(Effect.forEach(
          groupShards.slice(1),
          (shard) => Effect.tap(release(addressOf(5), shard), () => Effect.sync(() => released++)),
          { concurrency: "unbounded" },
        ))
        yield* Effect.promise(() =>
          eventually(() => Promise.resolve(releases), (sent) => sent === groupShards.length - 1)
        )
        const releasedWhenSent = released
        yield* Fiber.join(releasing)
        link.delay(0)
        const held = yield* refresh(addressOf(5), groupShards)
        const other = yield* Effect.promise(() =>
          Effect.runPromise(onNode(
            6,
            Effect.flatMap(RunnerStorage.RunnerStorage, (storage) => storage.acquire(addressOf(6), groupShards)),
          ))
        )
        return { releasedWhenSent, held, other }
      }),
      link.url,
    ))
    await link.stop()
    expect(found).toEqual({ releasedWhenSent: 0, held: groupShards.slice(0, 1), other: groupShards.slice(1) })
  }, 60_000)
})
