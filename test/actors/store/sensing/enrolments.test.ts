/**
 * Which environments are active under what the running nodes were started with, and what a removal leaves.
 */
import { Effect, Exit, type Layer, ManagedRuntime } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { StartedWith } from "../../../../actors/store/sensing/node-sources.ts"
import { EventStore } from "../../../../actors/store/events/events.ts"
import { FrameStore } from "../../../../actors/store/frames/frames.ts"
import { ReferenceStore } from "../../../../actors/store/sensing/calibrations.ts"
import { layerStores } from "../../../../deploy/composition/service.ts"
import type { Origin } from "../../../../protocols/domain/site.ts"
import { Directory } from "../../../../protocols/ports/directory.ts"
import { Enrolments } from "../../../../protocols/ports/enrolments.ts"
import { embeddedDatabase, postgresDatabase, type TestDatabase } from "../../../harness/database.ts"
import { nodeStores } from "../../../harness/node-stores.ts"
import { incidentEvent } from "../../../harness/events.ts"
import { archivedOf, testFrame, testPerson } from "../../../harness/frames.ts"
import { hasPostgres } from "../../../harness/postgres.ts"

const nowMs = 1_800_000_000_000
type Stores = Layer.Success<ReturnType<typeof layerStores>>

/** The rooms of three origins: a flat, two demonstrations, a recording. */
const origins: ReadonlyArray<readonly [string, Origin]> = [
  ["bedroom", { source: "simulated", name: "home" }],
  ["flat", { source: "live", name: "/sites/flat.json" }],
  ["hall", { source: "simulated", name: "small-room" }],
  ["replay", { source: "replay", name: "/a.csv" }],
]

const suite = (name: string, make: () => Promise<TestDatabase | null>, skip: boolean) =>
  describe.skipIf(skip)(name, () => {
    let database: TestDatabase
    let store: ManagedRuntime.ManagedRuntime<Stores, unknown>
    const run = <A, E>(effect: Effect.Effect<A, E, Stores>) => store.runPromise(effect)

    beforeAll(async () => {
      database = (await make())!
      store = ManagedRuntime.make(layerStores(database.location))
      await run(Effect.gen(function* () {
        const directory = yield* Directory
        for (const [environmentId, origin] of origins) {
          yield* directory.enrol({ environmentId, name: environmentId, geometry: null }, [`${environmentId}-1`], origin)
        }
      }))
    }, 60_000)
    afterAll(async () => {
      await store.dispose()
      await database.stop()
    })

    const node = (startedWith: Partial<StartedWith>) => nodeStores(database, startedWith)
    type Node = ReturnType<typeof node>
    const active = ({ runPromise }: Node) =>
      runPromise(Effect.gen(function* () {
        const directory = yield* Directory
        const environments = (yield* directory.environments).map(({ environmentId }) => environmentId)
        // All questions have the same answer.
        const routers = (yield* directory.routers).map(({ environmentId }) => environmentId)
        expect(routers).toEqual(environments)
        for (const [id] of origins) {
          const isActive = environments.includes(id)
          expect(yield* directory.environmentOf(`${id}-1`)).toBe(isActive ? id : null)
          expect(Exit.isSuccess(yield* Effect.exit(directory.environment(id)))).toBe(isActive)
        }
        expect(
          (yield* (yield* Enrolments).all).filter((each) => each.active).map((each) => each.environment.environmentId),
        )
          .toEqual(environments)
        return environments
      }))

    it("has all environments active in a store for itself", async () => {
      expect(await active(store as Node)).toEqual(["bedroom", "flat", "hall", "replay"])
    })

    it.each([
      ["waits for routers", {}, ["flat"]],
      ["simulates", { source: "simulated", environmentIds: ["bedroom"] }, ["bedroom"]],
      ["replays", { source: "replay", environmentIds: ["replay"] }, ["replay"]],
      ["simulates beside a site file", { source: "simulated", environmentIds: ["flat", "hall"] }, ["flat", "hall"]],
      ["keeps the others", { keepsAll: true }, ["bedroom", "flat", "hall", "replay"]],
    ] as ReadonlyArray<[string, Partial<StartedWith>, ReadonlyArray<string>]>)(
      "has active what belongs to a node that %s",
      async (_, startedWith, expected) => {
        const one = node({ alone: true, ...startedWith })
        expect(await active(one)).toEqual(expected)
        await one.dispose()
      },
    )

    it("has active what any running node stands for, on each of them and whatever the order of starts", async () => {
      const simulating = node({ source: "simulated", environmentIds: ["bedroom"] })
      expect(await active(simulating)).toEqual(["bedroom"])
      const waiting = node({})
      expect(await active(waiting)).toEqual(["bedroom", "flat"])
      expect(await active(simulating)).toEqual(["bedroom", "flat"])
      await simulating.dispose()
      expect(await active(waiting)).toEqual(["flat"])
      await waiting.dispose()
    })

    it("does not count a node that died, but always itself", async () => {
      const dead = node({ source: "simulated", environmentIds: ["hall"] })
      const living = node({})
      expect([await active(dead), await active(living)]).toEqual([["hall"], ["flat", "hall"]])
      await run(Effect.gen(function* () {
        yield* (yield* SqlClient.SqlClient)`UPDATE node_sources SET seen_at = now() - interval '1 minute'`
      }))
      expect(await active(living)).toEqual(["flat"])
      await Promise.all([dead.dispose(), living.dispose()])
    })

    it("creates a live environment, which is active where a node waits for routers, or beside others when that is asked for", async () => {
      const simulating = node({ source: "simulated", environmentIds: ["bedroom"] })
      const create = (environmentId: string, activate: boolean) =>
        simulating.runPromise(Effect.gen(function* () {
          const { create } = yield* Enrolments
          const environment = { environmentId, name: environmentId, geometry: null }
          return yield* create(environment, { routerIds: [`${environmentId}-1`], activate })
        }))
      expect(await create("attic", false)).toMatchObject({
        active: false,
        origin: { source: "live", name: null },
        routerIds: ["attic-1"],
      })
      expect(await create("cellar", true)).toMatchObject({ active: true })
      expect(await active(simulating)).toEqual(["bedroom", "cellar"])
      const waiting = node({})
      expect(await active(waiting)).toEqual(["attic", "bedroom", "cellar", "flat"])
      await Promise.all([simulating.dispose(), waiting.dispose()])
      await run(Effect.gen(function* () {
        const { remove } = yield* Enrolments
        yield* remove("attic")
        yield* remove("cellar")
      }))
    })

    it("rejects an environment of an id that is in use, or with a router of another, and keeps nothing of it", () =>
      run(Effect.gen(function* () {
        const { all, create } = yield* Enrolments
        const before = yield* all
        const attempt = (environmentId: string, routerIds: ReadonlyArray<string>) =>
          Effect.flip(create({ environmentId, name: "x", geometry: null }, { routerIds, activate: false }))
        expect(yield* attempt("flat", [])).toMatchObject({ _tag: "EnrolmentConflict", routerId: null })
        expect(yield* attempt("attic", ["attic-1", "flat-1"])).toMatchObject({
          _tag: "EnrolmentConflict",
          routerId: "flat-1",
          environmentId: "flat",
        })
        expect(yield* all).toEqual(before)
      })))

    it("changes what a change names, for the revision that was read", () =>
      run(Effect.gen(function* () {
        const { change, one } = yield* Enrolments
        const first = yield* one("flat")
        const zones = [{
          zoneId: "bed",
          name: "Bed",
          kind: "bed" as const,
          polygon: [[0, 0], [2, 0], [2, 1]] as ReadonlyArray<readonly [number, number]>,
        }]
        const geometry = {
          size: [4, 3, 2.5],
          nodes: [{ nodeId: "ap", position: [0, 0, 1], arrayAxis: [1, 0, 0] }],
        } as const
        const second = yield* change("flat", { zones, geometry, routerIds: ["flat-1", "flat-2"] }, first.revision)
        expect(second).toMatchObject({
          environment: { name: "flat", geometry, zones },
          routerIds: ["flat-1", "flat-2"],
          origin: first.origin,
        })
        expect(second.revision).not.toBe(first.revision)
        expect(yield* Effect.flip(change("flat", { name: "x" }, first.revision))).toMatchObject({
          _tag: "EnvironmentMoved",
          revision: second.revision,
        })
        expect(yield* Effect.flip(change("flat", { routerIds: ["bedroom-1"] }, null))).toMatchObject({
          _tag: "EnrolmentConflict",
        })
        expect(yield* one("flat")).toEqual(second)
        const restored = { name: "flat", geometry: null, zones: [], routerIds: ["flat-1"] }
        expect((yield* change("flat", restored, second.revision)).routerIds).toEqual(["flat-1"])
        const unknown = yield* Effect.flip(change("atlantis", { name: "x" }, null))
        expect(unknown.message).toContain("bedroom, flat, hall, replay")
      })))

    it("removes an environment with its routers and their references, and keeps its history until it is dropped", () =>
      run(Effect.gen(function* () {
        const frames = yield* FrameStore
        const enrolments = yield* Enrolments
        const sql = yield* SqlClient.SqlClient
        const environments = ["flat", "hall"]
        for (const environmentId of environments) {
          for (const id of [1, 2, 3]) {
            const persons = [testPerson(1, "walking")]
            yield* frames.append(environmentId, archivedOf(testFrame(environmentId, id, nowMs + 100 * id, { persons })))
          }
        }
        yield* (yield* EventStore).append([
          incidentEvent("00000000-0000-7000-8000-000000000007", "open", 1, { environmentId: "hall" }),
        ])
        const references = yield* ReferenceStore
        yield* references.save("hall-1", nowMs, new Uint8Array([1]))
        const stored = (environmentId: string) =>
          Effect.forEach(["pose_frames", "pose_minutes", "pose_spans", "events", "event_hours"], (table) =>
            Effect.map(
              sql<{ n: number }>`
                SELECT count(*)::int4 AS n FROM ${sql(table)} WHERE environment_id = ${environmentId}`,
              ([row]) => row!.n,
            ))

        expect(yield* enrolments.remove("hall")).toBe(true)
        expect(yield* enrolments.remove("hall")).toBe(false)
        expect(yield* (yield* Directory).environmentOf("hall-1")).toBe(null)
        expect(yield* references.load("hall-1")).toBe(null)
        expect(yield* stored("hall")).toEqual([3, 1, 2, 1, 1])

        expect(yield* enrolments.dropHistory("hall")).toEqual({ frames: 3, events: 1, tracks: 0, rows: 5 })
        expect(yield* stored("hall")).toEqual([0, 0, 0, 0, 0])
        expect((yield* stored("flat"))[0]).toBe(3)
        // No id is given twice, also after a removal.
        expect(yield* frames.append("hall", archivedOf(testFrame("hall", 3, nowMs + 900)))).toBe(false)
        expect(yield* frames.append("hall", archivedOf(testFrame("hall", 4, nowMs + 900)))).toBe(true)
      })))

    it("drops a history however long its statements take together, and continues where a database failed", () =>
      run(Effect.gen(function* () {
        const { dropHistory } = yield* Enrolments
        const sql = yield* SqlClient.SqlClient
        const events = yield* EventStore
        yield* sql`
          INSERT INTO labels (label_id, environment_id, begins_at, ends_at, state, created_at, created_by)
          VALUES (gen_random_uuid(), 'hall', now(), now() + interval '1 minute', 'empty', now(), 'anna')`
        yield* events.append([
          incidentEvent("00000000-0000-7000-8000-000000000008", "open", 1, { environmentId: "hall" }),
        ])
        const left = Effect.forEach(["pose_frames", "pose_minutes", "events", "labels"], (table) =>
          Effect.map(
            sql`SELECT 1 FROM ${sql(table)} WHERE environment_id = 'hall'`,
            (rows) => rows.length,
          ))
        let statements = 0
        /** Each statement takes ten seconds. The fourth one fails. */
        const slow = dropHistory("hall").pipe(
          Effect.provideService(Statement.CurrentTransformer, (statement, constructor) =>
            Effect.as(
              TestClock.adjust("10 seconds"),
              ++statements === 4 ? constructor`SELECT 1 FROM nowhere` : statement,
            )),
          Effect.provide(TestClock.layer()),
        )
        expect(yield* Effect.flip(slow)).toMatchObject({ _tag: "StoreUnavailable" })
        expect(yield* left).toEqual([0, 0, 1, 1])
        expect(yield* slow).toEqual({ frames: 0, events: 1, tracks: 0, rows: 2 })
        expect(yield* left).toEqual([0, 0, 0, 0])
      })))
  })

suite("enrolments on the embedded database", embeddedDatabase, false)
suite("enrolments on PostgreSQL", postgresDatabase, !await hasPostgres())
