/** The EdgeNode actor on a test clock: its records, its silence, and its learned week. */
import { Effect, Layer, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { layerEdgeNode, layerLocalEdgeNodes } from "../../../actors/edge/edge-node-entity.ts"
import { Escalations } from "../../../actors/runtime/supervision.ts"
import { learn, type LearnedWeek } from "../../../core/semantics/learned-week.ts"
import type { PrivacyClass } from "../../../core/privacy/privacy-class.ts"
import { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import type { EdgeRecord } from "../../../protocols/domain/sensing.ts"
import { Directory } from "../../../protocols/ports/directory.ts"
import { EdgeNode, LocalEdgeNodes, type NodeReading } from "../../../protocols/messages/edge-node.ts"
import { LearnedWeeks } from "../../../protocols/ports/learned-weeks.ts"
import { NodeRegistry } from "../../../protocols/ports/node-identities.ts"
import { PrivacyClasses } from "../../../protocols/ports/privacy-classes.ts"
import { clusterLayer } from "../../harness/cluster.ts"
import { noVitals } from "../../harness/vitals.ts"

const startMs = 1_700_006_400_000

const reading = (timestampMs: number, changes: Partial<NodeReading> = {}): NodeReading => ({
  environmentId: "home",
  kind: "esp32-csi-tool",
  timestampMs,
  source: "live",
  calibrated: true,
  linksUsed: 3,
  presence: { present: true, confidence: 0.9, reason: null },
  motion: 0.1,
  vitals: noVitals,
  occupancy: null,
  usableShare: 0.98,
  rssiDbm: -50,
  packetRateHz: 100,
  packetLoss: 0.5,
  room: null,
  scan: null,
  ...changes,
})

/** The content of the store doubles. */
interface World {
  privacyClass: PrivacyClass
  week: LearnedWeek | null
  fails: boolean
  /** Attempts to save. */
  attempts: number
  readonly saved: Array<LearnedWeek>
}

const world = (changes: Partial<World> = {}): World => ({
  privacyClass: 2,
  week: null,
  fails: false,
  attempts: 0,
  saved: [],
  ...changes,
})

const unused = Effect.die("not part of this double")

const doubles = (of: World) =>
  Layer.mergeAll(
    Layer.succeed(Directory, {
      environments: unused,
      routers: unused,
      environment: () => unused,
      environmentOf: (nodeId) => Effect.succeed(nodeId === "not-enrolled" ? null : "home"),
      enrol: () => unused,
    }),
    Layer.succeed(LearnedWeeks, {
      load: () => Effect.succeed(of.saved.at(-1) ?? of.week),
      save: (_, week) =>
        Effect.suspend(() => {
          of.attempts++
          return of.fails
            ? Effect.fail(new StoreUnavailable({ message: "away" }))
            : Effect.sync(() => void of.saved.push(week))
        }),
    }),
    Layer.succeed(NodeRegistry, {
      standingOf: () => Effect.succeed({ standing: "enrolled", signed: true }),
      network: unused,
    }),
    Layer.succeed(PrivacyClasses, { of: () => of.privacyClass }),
  )

type Node = ReturnType<Effect.Success<typeof EdgeNode.client>>

/** Runs a test on the actor of a node. */
const withNode = (of: World, test: (node: Node) => Effect.Effect<void, unknown, LocalEdgeNodes>, nodeId = "kitchen") =>
  TestClock.setTime(startMs).pipe(
    Effect.andThen(
      Effect.gen(function* () {
        yield* TestClock.adjust(1)
        yield* test((yield* EdgeNode.client)(nodeId))
      }).pipe(
        Effect.provide(layerEdgeNode.pipe(
          Layer.provide([doubles(of), Escalations.layer]),
          Layer.provideMerge([clusterLayer, layerLocalEdgeNodes]),
        )),
      ),
    ),
    Effect.provide(TestClock.layer()),
    Effect.runPromise,
  )

/** Subscribes, and returns an effect that takes the next record. */
const subscribed = Effect.fnUntraced(function* (node: Node) {
  const received = yield* Queue.unbounded<EdgeRecord>()
  yield* Effect.forkScoped(Stream.runForEach(node.Subscribe(), (record) => Queue.offer(received, record)))
  return Queue.take(received)
})

describe("an edge node", () => {
  it("takes reports of its router by a local call after the first message", () =>
    withNode(world(), (node) =>
      Effect.gen(function* () {
        const local = yield* LocalEdgeNodes
        expect(local.to("kitchen")).toBeNull()
        yield* node.Report({ readings: [reading(startMs)] })
        yield* local.to("kitchen")!([reading(startMs + 100, { motion: 0.7 })])
        expect(yield* node.Latest()).toMatchObject({ sensing: { motion: 0.7 } })
      })))

  it.each(
    [
      ["live", /^Wi-Fi channel/],
      ["replay", /^Replayed Wi-Fi/],
      ["simulated", /^Simulated Wi-Fi/],
    ] as const,
  )(
    "names the source of presence of %s readings",
    (source, named) =>
      withNode(world(), (node) =>
        Effect.gen(function* () {
          yield* node.Report({ readings: [reading(startMs, { source })] })
          expect((yield* node.Latest()).events!.unknownPresence.source).toMatch(named)
        })),
  )

  it("is unheard at first, then publishes the reports of its router, then its silence", () =>
    withNode(world(), (node) =>
      Effect.scoped(Effect.gen(function* () {
        const next = yield* subscribed(node)
        expect(yield* next).toMatchObject({
          nodeId: "kitchen",
          privacyClass: 2,
          sensing: null,
          events: null,
          scan: null,
          entry: {
            online: false,
            lastSeenMs: null,
            environmentId: "home",
            kind: null,
            standing: "enrolled",
            signed: true,
          },
        })
        yield* node.Report({ readings: [reading(startMs - 100), reading(startMs)] })
        const record = yield* next
        expect(record).toMatchObject({
          entry: { online: true, lastSeenMs: startMs + 1, kind: "esp32-csi-tool", rssiDbm: -50, packetLoss: 0.5 },
          sensing: {
            timestampMs: startMs,
            presence: { present: true },
            nPersons: null,
            nPersonsReason: expect.stringMatching(/three links/) as string,
            nodeCoherence: 0.49,
            anomalyScore: null,
            anomalyReason: expect.stringMatching(/not learned yet/) as string,
            envShiftScore: null,
            provenance: { source: "live", calibrated: true, linksUsed: 3 },
          },
          events: { unknownPresence: { active: false }, unrecognizedActivityPattern: { active: false } },
        })
        expect(yield* node.Latest()).toEqual(record)
        expect(yield* node.Registry()).toEqual(record.entry)
        yield* TestClock.adjust("11 seconds")
        let later = yield* next
        while (later.entry.online) later = yield* next
        expect(later).toMatchObject({ seenMs: startMs + 1, entry: { online: false, lastSeenMs: startMs + 1 } })
      }))))

  it("repeats the current record as a heartbeat", () =>
    withNode(world(), (node) =>
      Effect.scoped(Effect.gen(function* () {
        const next = yield* subscribed(node)
        const first = yield* next
        yield* TestClock.adjust("5 seconds")
        expect(yield* next).toEqual(first)
      }))))

  it("takes presence and the count from its room where the room is known", () =>
    withNode(world(), (node) =>
      Effect.gen(function* () {
        const empty = { present: false, confidence: 0.97, reason: null }
        yield* node.Report({ readings: [reading(startMs, { room: { presence: empty, nPersons: 0, reason: null } })] })
        expect((yield* node.Latest()).sensing).toMatchObject({ presence: empty, nPersons: 0, nPersonsReason: null })
        yield* node.Report({
          readings: [reading(startMs + 100, { room: { presence: empty, nPersons: 0, reason: null }, occupancy: 0.3 })],
        })
        expect((yield* node.Latest()).sensing).toMatchObject({ envShiftScore: 0.3, envShiftReason: null })
      })))

  it("reports an unrecognised pattern of its learned week, only in class Restricted", async () => {
    let week: LearnedWeek | null = null
    const first = startMs / 60_000 - 7 * 1440 - 1
    for (let minute = first; minute < startMs / 60_000; minute++) week = learn(week, "live", minute, 0)
    for (const [privacyClass, active] of [[2, false], [3, true]] as const) {
      await withNode(world({ week, privacyClass }), (node) =>
        Effect.gen(function* () {
          const readings = Array.from({ length: 20 * 60 }, (_, i) => reading(startMs + 1000 * i, { motion: 0.5 }))
          yield* node.Report({ readings })
          const { events, sensing } = yield* node.Latest()
          expect(events!.unknownPresence).toMatchObject({ active: true, sinceMs: startMs })
          expect(events!.unexpectedOccupancy.active).toBe(true)
          expect(events!.unrecognizedActivityPattern.active).toBe(active)
          expect(sensing!.anomalyScore).toBeGreaterThanOrEqual(0.7)
        }))
    }
  })

  it("saves its learned week at its end, and continues from it", async () => {
    const of = world()
    await withNode(of, (node) =>
      Effect.gen(function* () {
        yield* node.Report({ readings: [0, 1, 2].map((minute) => reading(startMs + 60_000 * minute)) })
        yield* TestClock.adjust("10 minutes")
        expect(of.saved).toMatchObject([{ minutes: 2, source: "live" }])
        yield* node.Report({ readings: [3, 4].map((minute) => reading(startMs + 60_000 * minute)) })
      }))
    expect(of.saved.map(({ minutes }) => minutes)).toEqual([2, 3])
  })

  it("saves its learned week every ten minutes, and retries after a failure of the store", () => {
    const of = world({ fails: true })
    return withNode(of, (node) =>
      Effect.scoped(Effect.gen(function* () {
        const next = yield* subscribed(node)
        yield* next
        const report = (minute: number) => node.Report({ readings: [reading(startMs + 60_000 * minute)] })
        yield* Effect.forEach([0, 1, 2], report)
        yield* TestClock.adjust("10 minutes")
        yield* report(3)
        while (of.attempts === 0) yield* Effect.yieldNow
        expect(of.saved).toEqual([])
        of.fails = false
        yield* TestClock.adjust("10 minutes")
        yield* report(4)
        while (of.saved.length === 0) yield* Effect.yieldNow
        expect(of.saved).toMatchObject([{ minutes: 4 }])
      })))
  })

  it("fails with UnknownRouter when it is not enrolled", () =>
    withNode(world(), (node) =>
      Effect.gen(function* () {
        for (const ask of [node.Latest(), node.Registry(), Stream.runDrain(node.Subscribe())]) {
          expect(yield* Effect.flip(ask as Effect.Effect<unknown, unknown>)).toMatchObject({ _tag: "UnknownRouter" })
        }
      }), "not-enrolled"))
})
