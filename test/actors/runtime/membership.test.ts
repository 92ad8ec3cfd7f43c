/**
 * A node joins when it is reported to, asks for shards until their owner has released them, and leaves when its shards are released.
 */
import { Effect, Fiber, Layer, Queue } from "effect"
import { Runner, RunnerAddress, RunnerStorage, ShardId } from "effect/cluster"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { MemberNews } from "../../../actors/runtime/member-news.ts"
import { layerMembership, Membership } from "../../../actors/runtime/membership.ts"
import { type Pin, Placements } from "../../../actors/runtime/placements.ts"
import { watchedPeer } from "../../../actors/runtime/peer-watch.ts"
import { mqttGroup, mqttKind, shardGroups } from "../../../protocols/messages/shard-groups.ts"

const nodeOf = (port: number) =>
  Runner.make({ address: RunnerAddress.make("node", port), groups: ["sensing"], weight: 1 })
const own = nodeOf(1)
const other = nodeOf(2)
const shards = [1, 2, 3].map((id) => ShardId.make(`sensing-${id}`, 1))

/** The nodes of a list, without the entries of their groups. */
const nodesOf = (listed: ReadonlyArray<readonly [runner: Runner.Runner, healthy: boolean]>) =>
  listed.filter(([{ weight }]) => weight === 1).map(([{ address: { port } }, healthy]) => [port, healthy])
/** The node of each group in a list. */
const placesIn = (listed: ReadonlyArray<readonly [runner: Runner.Runner, healthy: boolean]>) =>
  new Map(listed.flatMap(([{ address: { port }, groups }]) => groups.map((group) => [group, port])))

/** A storage in memory; `takenBy` holds the shards of other nodes. */
const world = () => {
  const runners = new Map<string, Runner.Runner>()
  const takenBy = new Map<string, string>()
  const layer = Layer.succeed(RunnerStorage.RunnerStorage, {
    register: (runner: Runner.Runner) =>
      Effect.sync(() => {
        runners.set(String(runner.address), runner)
        return runners.size as never
      }),
    unregister: (address: RunnerAddress.RunnerAddress) => Effect.sync(() => void runners.delete(String(address))),
    getRunners: Effect.sync(() => [...runners.values()].map((runner) => [runner, true] as const)),
    setRunnerHealth: () => Effect.void,
    acquire: (address: RunnerAddress.RunnerAddress, wanted: Iterable<ShardId.ShardId>) =>
      Effect.sync(() =>
        [...wanted].filter((shard) => (takenBy.get(String(shard)) ?? String(address)) === String(address))
      ),
    refresh: (_: RunnerAddress.RunnerAddress, asked: Iterable<ShardId.ShardId>) => Effect.sync(() => [...asked]),
    release: () => Effect.void,
    releaseAll: () => Effect.void,
  })
  const changes = Effect.runSync(Queue.sliding<void>(1))
  const announced = { times: 0 }
  const news = Layer.succeed(MemberNews, { changes, announce: Effect.sync(() => void announced.times++) })
  const pins: Array<Pin> = []
  const placements = Layer.effect(
    Placements,
    Effect.map(Placements, (none) => ({ ...none, pins: Effect.sync(() => [...pins]) })),
  ).pipe(Layer.provide(Placements.layerNone))
  const given = Layer.mergeAll(layer, news, placements)
  return { runners, takenBy, changes, announced, pins, layer: layerMembership.pipe(Layer.provide(given)) }
}

const run = (
  test: (
    given: ReturnType<typeof world>,
    storage: RunnerStorage.RunnerStorage["Service"],
    membership: Membership["Service"],
  ) => Effect.Effect<void, unknown>,
) => {
  const given = world()
  return Effect.gen(function* () {
    yield* test(given, yield* RunnerStorage.RunnerStorage, yield* Membership)
  }).pipe(Effect.provide(Layer.merge(given.layer, TestClock.layer())), Effect.runPromise)
}

describe("membership", () => {
  it("registers the node after it has joined", () =>
    run(({ runners }, storage, membership) =>
      Effect.gen(function* () {
        const registering = yield* Effect.forkChild(storage.register(own, true))
        yield* TestClock.adjust("1 second")
        expect(runners.size).toBe(0)
        yield* membership.join
        yield* Fiber.join(registering)
        expect(runners.size).toBe(1)
      })
    ))

  it("reads the list of nodes when a change is announced, and now and then", () =>
    run(({ changes, runners }, storage) =>
      Effect.gen(function* () {
        expect(yield* storage.getRunners).toEqual([])
        runners.set("other", other)
        const looking = yield* Effect.forkChild(storage.getRunners)
        yield* TestClock.adjust(10)
        expect(looking.pollUnsafe()).toBe(undefined)
        yield* Queue.offer(changes, undefined)
        expect(nodesOf(yield* Fiber.join(looking))).toEqual([[2, true]])
        runners.clear()
        const again = yield* Effect.forkChild(storage.getRunners)
        yield* TestClock.adjust(250)
        expect(yield* Fiber.join(again)).toEqual([])
      })
    ))

  it("announces that it joins, leaves, and has found another node dead", () =>
    run(({ announced }, storage, membership) =>
      Effect.gen(function* () {
        yield* membership.join
        yield* storage.register(own, true)
        expect(announced.times).toBe(1)
        yield* storage.setRunnerHealth(other.address, false)
        expect(announced.times).toBe(2)
        yield* storage.unregister(own.address)
        expect(announced.times).toBe(3)
      })
    ))

  it("asks for shards until their owner has released them", () =>
    run(({ takenBy }, storage, membership) =>
      Effect.gen(function* () {
        for (const shard of shards) takenBy.set(String(shard), String(other.address))
        const acquiring = yield* Effect.forkChild(storage.acquire(own.address, shards))
        yield* TestClock.adjust(100)
        expect((yield* membership.report)?.shards).toBe(0)
        takenBy.clear()
        yield* TestClock.adjust(100)
        expect(yield* Fiber.join(acquiring)).toEqual(shards)
        expect(yield* membership.report).toMatchObject({ shards: 3, acquired: 3, released: 0 })
      })
    ))

  it("uses the shards that it obtained when the others are not released", () =>
    run(({ takenBy }, storage) =>
      Effect.gen(function* () {
        takenBy.set(String(shards[0]), String(other.address))
        const acquiring = yield* Effect.forkChild(storage.acquire(own.address, shards))
        yield* TestClock.adjust("2 seconds")
        expect(yield* Fiber.join(acquiring)).toEqual(shards.slice(1))
      })
    ))

  it("leaves when all of its shards are released, and sees itself as unhealthy meanwhile", () =>
    run(({ runners }, storage, membership) =>
      Effect.gen(function* () {
        yield* membership.join
        for (const node of [other, own]) yield* storage.register(node, true)
        yield* storage.acquire(own.address, shards)
        const leaving = yield* Effect.forkChild(membership.leave)
        yield* TestClock.adjust(100)
        expect(runners.get(String(own.address))?.weight).toBe(0.5)
        yield* TestClock.adjust("1500 millis")
        expect([...runners.keys()]).toEqual([String(other.address)])
        expect(nodesOf(yield* storage.getRunners)).toEqual([[2, true], [1, false]])
        for (const shard of shards) yield* storage.release(own.address, shard)
        yield* TestClock.adjust(100)
        yield* Fiber.join(leaving)
        expect(yield* membership.report).toMatchObject({ shards: 0, released: 3, lost: 0 })
      })
    ))

  it("gives every group of a hosted kind to one node, and a moved group to the node that it was moved to", () =>
    run(({ pins, runners }, storage) =>
      Effect.gen(function* () {
        for (const node of [own, other]) runners.set(String(node.address), node)
        const before = placesIn(yield* storage.getRunners)
        const sensing = shardGroups.filter((group) => group.startsWith("sensing-"))
        expect([...before.keys()].toSorted()).toEqual(sensing.toSorted())
        const [group, port] = [...before].find(([, port]) => port === 1)!
        pins.push({ group, address: "node:2", ageMs: 0 })
        yield* TestClock.adjust(250)
        const after = placesIn(yield* storage.getRunners)
        expect(after).toEqual(new Map([...before, [group, port + 1]]))
        runners.delete(String(other.address))
        yield* TestClock.adjust(250)
        expect(new Set(placesIn(yield* storage.getRunners).values())).toEqual(new Set([1]))
      })
    ))

  it("takes its shards in parts when other nodes have them, and each part when the last one is taken", () =>
    run(({ runners, takenBy }, storage, membership) =>
      Effect.gen(function* () {
        runners.set(String(other.address), other)
        yield* membership.join
        yield* storage.register(own, true)
        const part = () => runners.get(String(own.address))!.weight
        const placed = () => [...placesIn(placements)].flatMap(([group, port]) => port === 1 ? [group] : [])
        let placements = yield* storage.getRunners
        expect(part()).toBe(0.25)
        const quarter = placed()
        takenBy.set(String(shards[0]), String(other.address))
        const acquiring = yield* Effect.forkChild(storage.acquire(own.address, shards.slice(0, 1)))
        yield* TestClock.adjust("1400 millis")
        expect(part()).toBe(0.25)
        takenBy.clear()
        yield* TestClock.adjust("1100 millis")
        yield* Fiber.join(acquiring)
        expect(part()).toBe(0.5)
        yield* TestClock.adjust("5 seconds")
        expect(part()).toBe(1)
        placements = yield* storage.getRunners
        expect(placed()).toEqual(expect.arrayContaining(quarter))
        expect(quarter.length / placed().length).toBeCloseTo(0.25, 1)
      })
    ))

  it("does not declare the last healthy node dead, nor a node twice", () =>
    run(({ announced, runners }, storage) =>
      Effect.gen(function* () {
        for (const node of [own, other]) runners.set(String(node.address), node)
        yield* storage.getRunners
        for (const address of [other.address, other.address, own.address]) {
          yield* storage.setRunnerHealth(address, false)
        }
        expect(announced.times).toBe(1)
      })
    ))

  it("hands its rooms over also when no other node has an MQTT broker, and gives the publisher to one that has", () =>
    run(({ runners }, storage, membership) =>
      Effect.gen(function* () {
        yield* membership.join
        const publishes = Runner.make({ address: own.address, groups: ["sensing", mqttKind], weight: 1 })
        for (const node of [other, publishes]) yield* storage.register(node, true)
        expect(placesIn(yield* storage.getRunners).get(mqttGroup)).toBe(1)
        yield* Effect.forkChild(membership.leave)
        yield* TestClock.adjust("2 seconds")
        expect([...runners.keys()]).toEqual([String(other.address)])
        expect(placesIn(yield* storage.getRunners).get(mqttGroup)).toBe(undefined)
      })
    ))

  it("does not wait for other nodes when there are none", () =>
    run(({ runners }, storage, membership) =>
      Effect.gen(function* () {
        yield* membership.join
        yield* storage.register(own, true)
        yield* storage.acquire(own.address, shards)
        yield* membership.leave
        expect(runners.size).toBe(1)
      })
    ))
})

describe("the peer that a node watches", () => {
  const three = [nodeOf(1), nodeOf(2), nodeOf(3)]
  const cases: ReadonlyArray<[name: string, own: number, healthy: ReadonlyArray<boolean>, watched: number | null]> = [
    ["is the next one", 1, [true, true, true], 2],
    ["is the first one after the last", 3, [true, true, true], 1],
    ["is not one that failed", 1, [true, false, true], 3],
    ["is none when all others failed", 2, [false, true, false], null],
  ]
  it.each(cases)("%s", (_, port, healthy, watched) => {
    const runners = three.map((node, i) => [node, healthy[i]!] as const)
    expect(watchedPeer(String(nodeOf(port).address), runners)?.address.port ?? null).toBe(watched)
  })
})
