/** What the home-automation runtime keeps: states and their past, registries, tokens. */
import { Effect, ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { HomeRegistryStore } from "../../../../actors/store/home/home-registry.ts"
import { HomeStateStore, type KeptEntry } from "../../../../actors/store/home/home-states.ts"
import { layerStores } from "../../../../deploy/composition/service.ts"
import type { BusEntry, EntityState } from "../../../../protocols/domain/home.ts"
import { HomeHistory } from "../../../../protocols/ports/home-history.ts"
import { HomeTokenStore } from "../../../../protocols/ports/home-tokens.ts"
import { embeddedDatabase, type TestDatabase } from "../../../harness/database.ts"
import { homeChange, homeState } from "../../../harness/home-states.ts"

type Stores = HomeStateStore | HomeRegistryStore | HomeHistory | HomeTokenStore

let database: TestDatabase
let stores: ReturnType<typeof start>
const start = () => ManagedRuntime.make(layerStores(database.location))
const run = <A, E>(effect: Effect.Effect<A, E, Stores>): Promise<A> => stores.runPromise(effect)

beforeAll(async () => {
  database = await embeddedDatabase()
  stores = start()
}, 60_000)
afterAll(async () => {
  await stores.dispose()
  await database.stop()
}, 30_000)

const kept = (sequence: number, entry: BusEntry, createdSequence = sequence): KeptEntry => ({
  entry: entry as KeptEntry["entry"],
  sequence,
  createdSequence,
})
const at = (entityId: string, state: string, us: number, over: Partial<EntityState> = {}): EntityState =>
  homeState(entityId, state, { lastChangedUs: us, lastUpdatedUs: us, lastReportedUs: us, ...over })

describe("states", () => {
  // A text that a column of a database could not hold as it is.
  const odd = at("x.odd", "\u0000 \ud800 ä", 1_000, { attributes: { z: 1, a: { "\u0000": [null, 1.5] } } })
  const [a1, a2, b1] = [at("x.a", "1", 1_000), at("x.a", "2", 2_000), at("x.b", "1", 1_500)]

  it("are kept, changed and removed in one go, and come back in the order in which they came to be", async () => {
    const { generation, states } = await run(Effect.flatMap(HomeStateStore, ({ open }) => open))
    expect(states).toEqual([])
    const keep = (...entries: ReadonlyArray<KeptEntry>) =>
      run(Effect.flatMap(HomeStateStore, ({ keep }) => keep(generation, entries)))
    expect(await keep(kept(11, homeChange(null, b1)), kept(12, homeChange(null, a1)), kept(13, homeChange(null, odd))))
      .toBe(true)
    const reported = { ...a2, lastReportedUs: 9_000 }
    expect(
      await keep(
        kept(14, homeChange(a1, a2), 12),
        kept(15, { kind: "reported", entityId: "x.a", newState: reported, oldReportedUs: 2_000 }, 12),
        kept(16, homeChange(b1, null), 11),
      ),
    ).toBe(true)
    // Another connection of a later start sees the same.
    await stores.dispose()
    stores = start()
    const again = await run(Effect.flatMap(HomeStateStore, ({ open }) => open))
    expect(again.generation).toBe(generation + 1)
    expect(again.states).toEqual([
      { state: reported, sequence: 15, createdSequence: 12 },
      { state: { ...odd, state: "\u0000 \ud800 ä" }, sequence: 13, createdSequence: 13 },
    ])
    // Who has begun before writes no more.
    expect(await keep(kept(17, homeChange(null, b1)))).toBe(false)
    const after = await run(Effect.flatMap(HomeStateStore, ({ open }) => open))
    expect(after.states).toHaveLength(2)
  })

  const wide = { statesMax: 100, bytesMax: 100_000 }
  const inPeriod = (fromUs: number, untilUs: number, entityIds: ReadonlyArray<string>, bounds = wide) =>
    Effect.flatMap(HomeHistory, ({ period }) => period({ fromUs, untilUs, entityIds }, bounds))

  it("are returned for a period: the state at its start, then every change", async () => {
    const period = (fromUs: number, untilUs: number, entityIds: ReadonlyArray<string>) =>
      run(inPeriod(fromUs, untilUs, entityIds))
    expect(await period(0, 10_000, ["x.b", "x.a", "x.nobody"])).toEqual([[b1], [a1, a2]])
    expect(await period(1_800, 10_000, ["x.a"])).toEqual([[a1, a2]])
    expect(await period(2_500, 10_000, ["x.a"])).toEqual([[a2]])
    expect(await period(0, 2_000, ["x.a"])).toEqual([[a1]])
    // After its removal there is nothing.
    expect(await period(20_000, 30_000, ["x.b"])).toEqual([])
  })

  it("of a period are returned completely, or not at all where there are more than the bounds", () =>
    run(Effect.gen(function* () {
      const ids = ["x.a", "x.b"]
      const bytes = [a1, a2, b1].reduce((sum, state) => sum + JSON.stringify(state).length, 0)
      // Two states of the one, and a state and the removal of the other.
      expect(yield* inPeriod(0, 10_000, ids, { statesMax: 4, bytesMax: bytes })).toEqual([[a1, a2], [b1]])
      for (const bounds of [{ statesMax: 3, bytesMax: bytes }, { statesMax: 4, bytesMax: bytes - 1 }]) {
        expect((yield* Effect.flip(inPeriod(0, 10_000, ids, bounds)))._tag).toBe("TooManyStates")
      }
      const { message } = yield* Effect.flip(inPeriod(0, 10_000, ids, { statesMax: 1, bytesMax: 1_048_576 }))
      expect(message).toBe(
        "The period has more than 1 states or 1 MiB of states. Ask for a shorter period or fewer entities.",
      )
    })))
})

it("registries keep entries in their order, and say what became of each", () =>
  run(Effect.gen(function* () {
    const { list, put, remove } = yield* HomeRegistryStore
    const floor = (floorId: string, name: string) => ({ floorId, name, level: null, icon: null, aliases: [] })
    expect(yield* put("floor", [floor("b", "B"), floor("a", "A")])).toEqual([
      { id: "b", action: "create" },
      { id: "a", action: "create" },
    ])
    expect(yield* put("floor", [floor("b", "B"), floor("a", "Attic")])).toEqual([{ id: "a", action: "update" }])
    expect((yield* list("floor")).map(({ entry }) => entry)).toEqual([floor("b", "B"), floor("a", "Attic")])
    expect(yield* list("area")).toEqual([])
    expect(yield* remove("floor", ["a", "unknown"])).toEqual([{ id: "a", action: "remove" }])
    expect(yield* remove("area", ["b"])).toEqual([])
    expect(yield* put("floor", [])).toEqual([])
    expect((yield* list("floor")).map(({ entry }) => entry.floorId)).toEqual(["b"])
  })))

it("tokens are kept by their hashes, up to a number", () =>
  run(Effect.gen(function* () {
    const { add, all, remove } = yield* HomeTokenStore
    const token = (i: number) => ({
      tokenId: `token-${i}`,
      name: "tablet",
      hash: new Uint8Array(32).fill(i),
      createdAtMs: 1_000 + i,
      createdBy: "anna",
    })
    for (let i = 0; i < 256; i++) yield* add(token(i))
    expect((yield* Effect.flip(add({ ...token(0), tokenId: "more", hash: new Uint8Array(1) })))._tag).toBe(
      "TooManyHomeTokens",
    )
    const [first] = yield* all
    expect({ ...first, hash: [...first!.hash] }).toEqual({ ...token(0), hash: [...token(0).hash] })
    expect([yield* remove("token-0"), yield* remove("token-0")]).toEqual([true, false])
    expect(yield* all).toHaveLength(255)
  })))
