/** The sensing plugin: records through the real privacy gate become entities. */
import { Effect, Layer, type Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import {
  alertEntities,
  alertJson,
  countZones,
  environmentDevice,
  releaseTo,
  zoneEntities,
} from "../../../../actors/home/plugins/built-in/wavepose/environment-entities.ts"
import { nodeDevice, nodeEntities } from "../../../../actors/home/plugins/built-in/wavepose/node-entities.ts"
import { readRoom, roomEntities } from "../../../../actors/home/plugins/built-in/wavepose/room-entities.ts"
import {
  makeWriteThrottle,
  measurementIntervalMs,
} from "../../../../actors/home/plugins/built-in/wavepose/write-throttle.ts"
import { makeNodes } from "../../../../actors/home/plugins/built-in/wavepose/nodes.ts"
import { sensingPlugin } from "../../../../actors/home/plugins/built-in/wavepose/plugin.ts"
import type { Sensed } from "../../../../actors/home/plugins/built-in/wavepose/sensor-entities.ts"
import { isSuperseded, makeSlugs } from "../../../../actors/home/plugins/built-in/wavepose/slugs.ts"
import { deviceDefaults } from "../../../../actors/home/plugins/registry-entries.ts"
import { makePluginHost, type PluginHost } from "../../../../actors/home/plugins/plugin-host.ts"
import { makeServiceRegistry, type ServiceRegistry } from "../../../../actors/home/services/registry.ts"
import { verdictOf } from "../../../../gateways/egress/release.ts"
import type { Alert } from "../../../../protocols/domain/event.ts"
import { staleAfterMs } from "../../../../protocols/domain/sensing.ts"
import { type Enrolled, Enrolments } from "../../../../protocols/ports/enrolments.ts"
import { defaultConfiguration } from "../../../../protocols/domain/configuration.ts"
import { Configurations } from "../../../../protocols/ports/configuration.ts"
import { Directory } from "../../../../protocols/ports/directory.ts"
import { NoFrames } from "../../../../protocols/domain/failure.ts"
import { Environment } from "../../../../protocols/messages/environment.ts"
import { EdgeVerdicts } from "../../../../protocols/ports/edge-feed.ts"
import { HomeRegistries } from "../../../../protocols/ports/home-registries.ts"
import { HomeRuntime, type Replica } from "../../../../protocols/ports/home-runtime.ts"
import { type EgressState, EgressStates } from "../../../../protocols/ports/egress.ts"
import { processes } from "./plugins.ts"
import { clusterLayer } from "../../../harness/cluster.ts"
import { makeTestFeed, type RecordParts, type TestFeed, variedRecord } from "../../../harness/edge-feed.ts"
import { nowMs } from "../../../harness/edge-records.ts"
import { testFrame, testPerson } from "../../../harness/frames.ts"
import { layerHome } from "../../../harness/home.ts"

const entitiesOf = (parts: RecordParts, atMs = nowMs): Record<string, Sensed> => {
  const released = releaseTo(variedRecord("Node-1", parts), parts.privacyClass ?? 2)!
  return Object.fromEntries(
    nodeEntities(released, nodeDevice(released, makeSlugs([])), atMs).map((entity) => [entity.entityId, entity]),
  )
}

describe("a node's entities", () => {
  it("contain the record's values with their provenance", () => {
    const entities = entitiesOf({})
    expect(Object.fromEntries(Object.entries(entities).map(([id, { state }]) => [id, state]))).toEqual({
      "binary_sensor.node_1_presence": "on",
      "sensor.node_1_persons": "2",
      "sensor.node_1_motion": "0.25",
      "sensor.node_1_breathing_rate": "14.3",
      "sensor.node_1_heart_rate": "62",
      "binary_sensor.node_1_unknown_presence": "on",
      "binary_sensor.node_1_unexpected_occupancy": "on",
      "binary_sensor.node_1_unrecognized_activity_pattern": "on",
    })
    expect(entities["binary_sensor.node_1_presence"]!.attributes).toEqual({
      friendly_name: "Sensing node Node-1 Presence",
      device_class: "occupancy",
      confidence: 0.9,
      reason: null,
      node_id: "Node-1",
      environment_id: "home",
      privacy_class: "anonymous",
      provenance: { source: "live", calibrated: true, model_version: "motion-statistic", links_used: 5 },
    })
  })

  it("have times in the form of the home API", () => {
    const events = { unknownPresence: { active: true, source: "x", sinceMs: nowMs + 123 } }
    expect(entitiesOf({ events })["binary_sensor.node_1_unknown_presence"]!.attributes["since"])
      .toBe("2023-11-14T22:13:20.123000+00:00")
  })

  it("are unknown with the reason if the signal does not support them", () => {
    const entities = entitiesOf({
      sensing: {
        presence: { present: null, confidence: 0, reason: "one link is silent" },
        nPersons: null,
        nPersonsReason: "two links",
        motion: null,
      },
    })
    const of = (id: string) => [entities[id]!.state, entities[id]!.attributes["reason"]]
    expect(of("binary_sensor.node_1_presence")).toEqual(["unknown", "one link is silent"])
    expect(of("sensor.node_1_persons")).toEqual(["unknown", "two links"])
    expect(of("sensor.node_1_motion")).toEqual(["unknown", "one link is silent"])
  })

  it("of class Restricted have no vital signs and name the removed fields", () => {
    const rate = entitiesOf({ privacyClass: 3 })["sensor.node_1_breathing_rate"]!
    expect(rate.state).toBe("unknown")
    expect(rate.attributes).toMatchObject({
      privacy_class: "restricted",
      reason: expect.stringContaining("Restricted"),
    })
    expect(rate.attributes["redacted_fields"]).toEqual(
      expect.arrayContaining(["breathing_rate_bpm", "heartrate_bpm", "anomaly_score"]),
    )
    expect(JSON.stringify(entitiesOf({ privacyClass: 3 }))).not.toContain("0.8125")
  })

  it("are unavailable when the node sends nothing", () => {
    const states = (entities: Record<string, Sensed>) => new Set(Object.values(entities).map(({ state }) => state))
    expect(states(entitiesOf({}, nowMs + staleAfterMs + 1))).toEqual(new Set(["unavailable"]))
    expect(states(entitiesOf({ entry: { online: false } }))).toEqual(new Set(["unavailable"]))
    expect(states(entitiesOf({ sensing: null, events: null }))).toEqual(new Set(["unknown"]))
  })

  it("are unavailable when the readings are stale, though they arrive now, but not because of a wrong clock", () => {
    const states = (parts: RecordParts) => new Set(Object.values(entitiesOf(parts)).map(({ state }) => state))
    const late = { timestampMs: nowMs - staleAfterMs - 1 }
    expect(states({ sensing: late })).toEqual(new Set(["unavailable"]))
    const provenance = {
      source: "live",
      calibrated: true,
      modelVersion: "m",
      linksUsed: 1,
      clockOffsetMs: 9_000,
    } as const
    expect(states({ sensing: { ...late, provenance } })).not.toContain("unavailable")
  })
})

const square = [[0, 0], [2, 0], [2, 2], [0, 2]] as const
const site = {
  environmentId: "Living Room",
  name: "Living room",
  geometry: null,
  zones: [
    { zoneId: "sofa", name: "Sofa", kind: "general" as const, polygon: square },
    { zoneId: "door", name: "Door", kind: "watched" as const, polygon: square.map(([x, y]) => [x + 5, y] as const) },
  ],
}
const noFrame = { reason: "This environment has no frame yet.", stopped: false }
const alert: Alert = {
  alertId: "a1",
  revision: 1,
  environmentId: "Living Room",
  type: "fall_detection",
  severity: "high",
  status: "open",
  timestampMs: nowMs,
  beganMs: nowMs - 2_000,
  endedMs: null,
  resolution: null,
  personId: 5,
  confidence: 0.871,
  location: { x: 1, y: 1 },
  zone: null,
  provenance: { source: "live", calibrated: true, modelVersion: "m", linksUsed: 6 },
}

describe("an environment's entities", () => {
  const device = environmentDevice(site, "living_room")
  const states = (entities: ReadonlyArray<Sensed>) =>
    Object.fromEntries(entities.map(({ entityId, state }) => [entityId, state]))

  it("tell whether a person is in the room and how many, from the frame, else from its nodes", () => {
    const reading = (over: RecordParts["sensing"]) => variedRecord("Node-1", { sensing: over! }).sensing!
    const [there, nobody] = [
      reading({ nPersons: 2 }),
      reading({ presence: { present: false, confidence: 0.9, reason: null }, nPersons: 0 }),
    ]
    const unsure = reading({ presence: { present: null, confidence: 0, reason: "no calibration" }, nPersons: null })
    const frame = testFrame(site.environmentId, 1, nowMs, { persons: [testPerson(1, "standing")], personsReason: null })
    const at = (
      ...[frame, readings, ms = nowMs]: [Parameters<typeof readRoom>[1], Parameters<typeof readRoom>[2], number?]
    ) => Object.values(states(roomEntities(releaseTo(readRoom(site.environmentId, frame, readings, ms), 2)!, device)))
    expect(Object.keys(states(roomEntities(releaseTo(readRoom(site.environmentId, null, [], nowMs), 2)!, device))))
      .toEqual([
        "binary_sensor.living_room_presence",
        "sensor.living_room_persons",
      ])
    expect(at(frame, [nobody])).toEqual(["on", "1"])
    expect(at(null, [there, nobody])).toEqual(["on", "2"])
    expect(at(null, [nobody, unsure])).toEqual(["off", "0"])
    expect(at(null, [unsure])).toEqual(["unknown", "unknown"])
    expect(at(null, [])).toEqual(["unknown", "unknown"])
    expect(at(frame, [there], nowMs + 60_000)).toEqual(["unavailable", "unavailable"])
  })

  it("put the room's device into an area of its name", () => {
    expect(device.area).toEqual({ areaId: "wavepose_living_room", name: "Living room" })
    expect(device.order.areaId).toBe("wavepose_living_room")
  })

  it("count the persons in each zone", () => {
    const persons = [1, 2].map((id) => ({ ...testPerson(id, "standing"), location: { x: id / 2, y: 1 } }))
    const counts = countZones(site, testFrame(site.environmentId, 1, nowMs, { persons, personsReason: null }), nowMs)
    expect(states(zoneEntities(site, releaseTo(counts, 2)!, device))).toEqual({
      "binary_sensor.living_room_zone_sofa": "on",
      "sensor.living_room_zone_sofa_persons": "2",
      "binary_sensor.living_room_zone_door": "off",
      "sensor.living_room_zone_door_persons": "0",
    })
  })

  it("state why counts are unknown, and are withheld under a class that must not leave", () => {
    const entities = zoneEntities(site, releaseTo(countZones(site, noFrame, nowMs), 3)!, device)
    expect(new Set(entities.map(({ state }) => state))).toEqual(new Set(["unknown"]))
    expect(entities[0]!.attributes["reason"]).toContain("no frame yet")
    expect(releaseTo(countZones(site, noFrame, nowMs), 1)).toBeNull()
    const stopped = countZones(site, { reason: "The system is stopped.", stopped: true }, nowMs)
    expect(
      zoneEntities(site, releaseTo(stopped, 2)!, device).map(({ attributes, state }) => [state, attributes["reason"]]),
    )
      .toEqual(Array(4).fill(["unavailable", "The system is stopped."]))
  })

  it("are unavailable when the newest frame is stale", () => {
    const frame = testFrame(site.environmentId, 1, nowMs, { persons: [], personsReason: null })
    const at = (ms: number) => zoneEntities(site, releaseTo(countZones(site, frame, ms), 2)!, device)
    expect(states(at(nowMs + staleAfterMs))["binary_sensor.living_room_zone_sofa"]).toBe("off")
    const stale = at(nowMs + staleAfterMs + 1)
    expect(new Set(stale.map(({ state }) => state))).toEqual(new Set(["unavailable"]))
    expect(stale[0]!.attributes["reason"]).toContain("more than 10 s old")
  })

  it("are on while an alert of their kind is open, and do not identify a person", () => {
    const shown = (alerts: ReadonlyArray<Alert>, unwatched: string | null = null) =>
      alertEntities("Living Room", releaseTo(alerts, 2)!, device, unwatched)
    expect(states(shown([alert]))).toEqual({
      "binary_sensor.living_room_fall": "on",
      "binary_sensor.living_room_inactivity": "off",
      "binary_sensor.living_room_unexpected_occupancy": "off",
    })
    const { attributes } = shown([alert])[0]!
    expect(attributes).toMatchObject({ alert_id: "a1", severity: "high", status: "open", confidence: 0.87 })
    expect(JSON.stringify(attributes)).not.toContain("person")
    expect(attributes["alerts"]).toMatchObject([{ alert_id: "a1", provenance: { source: "live" } }])
    expect(alertJson({ ...alert, timestampMs: nowMs + 123 })).toMatchObject({
      raised_at: "2023-11-14T22:13:20.123000+00:00",
      provenance: { source: alert.provenance.source, links_used: alert.provenance.linksUsed },
    })
    expect(states(shown([{ ...alert, status: "cleared", revision: 2 }]))["binary_sensor.living_room_fall"]).toBe("off")
    expect(states(shown([alert], "why"))).toEqual({
      "binary_sensor.living_room_fall": "on",
      "binary_sensor.living_room_inactivity": "unavailable",
      "binary_sensor.living_room_unexpected_occupancy": "unavailable",
    })
    expect([shown([]), shown([], "why")].map(([fall]) => fall!.attributes["reason"])).toEqual([null, "why"])
  })

  it("are watched while a frame or a reading is fresh", () => {
    const frame = testFrame(site.environmentId, 1, nowMs, { persons: [], personsReason: "one link" })
    const reading = variedRecord("Node-1", {}).sensing!
    const isWatched = (...[newest, readings, ms = nowMs]: [typeof frame | null, Array<typeof reading>, number?]) =>
      readRoom(site.environmentId, newest, readings, ms).watched
    expect([isWatched(frame, []), isWatched(null, [reading]), isWatched(null, [])]).toEqual([true, true, false])
    expect(isWatched(frame, [reading], nowMs + staleAfterMs + 1)).toBe(false)
  })
})

describe("the write throttle", () => {
  it("writes facts at once, measurements at intervals, and unchanged entities never", () => {
    const throttle = makeWriteThrottle()
    const idsOf = (parts: RecordParts, atMs: number) =>
      throttle.due(Object.values(entitiesOf({ seenMs: atMs, ...parts }, atMs)), atMs).map(({ entityId }) => entityId)
    expect(idsOf({}, nowMs)).toHaveLength(8)
    expect(idsOf({}, nowMs + measurementIntervalMs)).toEqual([])
    const there = { presence: { present: true, confidence: 0.5, reason: null } }
    expect(idsOf({ sensing: { motion: 0.9, nPersons: 3 } }, nowMs + 100)).toEqual(["sensor.node_1_persons"])
    expect(idsOf({ sensing: { motion: 0.9, nPersons: 3, ...there } }, nowMs + measurementIntervalMs)).toEqual([
      "binary_sensor.node_1_presence",
      "sensor.node_1_motion",
    ])
  })
})

/** A room that has no frame, and these alerts. */
const roomWith = (alerts: ReadonlyArray<Alert>) => {
  const unasked = () => Effect.die("not asked")
  return Environment.toLayer(
    Environment.of({
      Observe: unasked,
      Activate: unasked,
      Reload: unasked,
      Deactivate: unasked,
      Latest: () => Effect.fail(new NoFrames({ environmentId: "flat", message: "The room has no frame yet." })),
      Watch: () => Stream.empty,
      WatchAlerts: () => Stream.concat(Stream.suspend(() => Stream.fromIterable([...alerts, null])), Stream.never),
      Acknowledge: unasked,
      Tracks: unasked,
      Track: unasked,
      Describe: unasked,
    }),
    { concurrency: "unbounded" },
  )
}

/** The plugin in a home; the test's records pass the real privacy gate. */
const withPlugin = <A, E>(
  program: (parts: {
    readonly feed: TestFeed
    readonly host: PluginHost
    readonly registry: ServiceRegistry
    readonly replica: Replica
    readonly ways: ReadonlyArray<EgressState>
    /** What is enrolled; a test changes it. */
    readonly enrolled: Array<Enrolled>
    /** The active environments, and the alerts of each. A test changes them. */
    readonly sites: Array<Enrolled["environment"]>
    readonly alerts: Array<Alert>
  }) => Effect.Effect<A, E, Scope.Scope | HomeRegistries | HomeRuntime>,
) => {
  const feed = makeTestFeed()
  const received: Array<EgressState> = []
  const enrolled: Array<Enrolled> = [{
    environment: { environmentId: "flat", name: "Flat", geometry: null },
    routerIds: ["Node-1"],
    origin: { source: "live", name: null },
    active: true,
    enrolledAtMs: nowMs,
    revision: "1",
  }]
  const sites: Array<Enrolled["environment"]> = []
  const alerts: Array<Alert> = []
  const ports = Layer.mergeAll(
    Layer.succeed(EdgeVerdicts, feed.verdicts),
    Layer.succeed(EgressStates, {
      report: (way) => Effect.sync(() => void received.push(way)),
      current: Effect.succeed([]),
    }),
    Layer.succeed(Configurations, { current: Effect.succeed(defaultConfiguration) }),
    Layer.succeed(Directory, {
      environments: Effect.sync(() => [...sites]),
      routers: Effect.succeed([]),
      environment: () => Effect.die("not asked"),
      environmentOf: () => Effect.succeed(null),
      enrol: () => Effect.void,
    }),
    Layer.succeed(Enrolments, {
      all: Effect.sync(() => enrolled),
      one: () => Effect.die("not asked"),
      create: () => Effect.die("not asked"),
      change: () => Effect.die("not asked"),
      remove: () => Effect.die("not asked"),
      dropHistory: () => Effect.die("not asked"),
    }),
  )
  return Effect.gen(function* () {
    const registry = yield* makeServiceRegistry
    const setup = yield* sensingPlugin
    const host = yield* makePluginHost({
      folder: null,
      secret: [],
      processes,
      builtIns: new Map([["wavepose", setup]]),
    }, registry)
    const replica = yield* (yield* HomeRuntime).replica
    return yield* program({ feed, host, registry, replica, ways: received, enrolled, sites, alerts })
  }).pipe(
    Effect.scoped,
    Effect.provide([layerHome, ports, Layer.provideMerge(roomWith(alerts), clusterLayer)]),
    (inTime) => Effect.andThen(TestClock.setTime(nowMs), inTime),
    Effect.provide(TestClock.layer()),
    Effect.runPromise,
  )
}
const statusOf = (host: PluginHost) => host.views().find(({ domain }) => domain === "wavepose")?.status

it("slugs belong to one room or node each, and stay with it over restarts", () => {
  const slugs = makeSlugs([])
  const ids = [["environment", "flat"], ["node", "flat"], ["node", "Flat"], ["environment", "fl-at"], [
    "node",
    "fl.at",
  ]] as const
  const given = ids.map(([kind, id]) => slugs(kind, id))
  expect(given).toEqual(["flat", "flat_2", "flat_3", "fl_at", "fl_at_2"])
  const devices = ids.map(([kind, id], i) => ({
    device: {
      ...deviceDefaults,
      deviceId: `wavepose-${kind}-${given[i]}`,
      identifiers: [["wavepose", `${kind}:${id}`] as const],
    },
    entityIds: [],
  }))
  const again = makeSlugs(devices)
  expect(ids.toReversed().map(([kind, id]) => again(kind, id))).toEqual(given.toReversed())
})

it("a room keeps the slug that it shared with a node, and its first one", () => {
  const device = (kind: "node" | "environment", id: string, slug = id) => ({
    device: {
      ...deviceDefaults,
      deviceId: `wavepose-${kind}-${slug}`,
      identifiers: [["wavepose", `${kind}:${id}`] as const],
    },
    entityIds: [],
  })
  const known = [
    device("node", "kitchen"),
    device("environment", "kitchen"),
    device("environment", "kitchen", "kitchen_2"),
  ]
  const slugs = makeSlugs(known)
  expect([slugs("node", "kitchen"), slugs("environment", "kitchen")]).toEqual(["kitchen_2", "kitchen"])
  expect(known.map((each) => isSuperseded(each.device, slugs))).toEqual([true, false, true])
})

it("a room has no class while the gate rejects one of its nodes", () =>
  Effect.gen(function* () {
    const nodes = makeNodes({ put: () => Effect.void, forget: () => {} }, makeSlugs([]))
    const judge = (nodeId: string, environmentId: string, privacyClass: 1 | 2 | 3) =>
      Effect.flatMap(verdictOf(variedRecord(nodeId, { privacyClass, entry: { environmentId } }), "home"), nodes.judge)
    const classes = () => ["flat", "bedroom"].map(nodes.classOf)
    yield* judge("flat-1", "flat", 2)
    yield* judge("bed-1", "bedroom", 3)
    expect(classes()).toEqual([2, 3])
    expect(yield* judge("bed-2", "bedroom", 1)).toBe(true)
    expect(yield* judge("bed-2", "bedroom", 1)).toBe(false)
    expect(classes()).toEqual([2, null])
    expect(yield* judge("bed-2", "bedroom", 2)).toBe(true)
    expect(classes()).toEqual([2, 2])
  }).pipe(Effect.runPromise))

describe("the plugin", () => {
  it("has a device and entities for each node, and follows its records", () =>
    withPlugin(({ feed, host, registry, replica, ways }) =>
      Effect.gen(function* () {
        feed.say(variedRecord("Node-1", { seenMs: nowMs }))
        yield* host.start
        expect(statusOf(host)).toBe("loaded")
        expect(replica.one("binary_sensor.node_1_presence")).toMatchObject({ state: "on" })
        expect(registry.has("wavepose", "acknowledge_alert")).toBe(true)
        expect(ways.at(-1)).toEqual({ destination: "home", status: "active", reason: null })
        const devices = yield* (yield* HomeRegistries).list("device")
        expect(devices.map(({ entry }) => entry.identifiers)).toEqual([[["wavepose", "node:Node-1"]]])
        const nobody = { presence: { present: false, confidence: 0.9, reason: null }, nPersons: 0 }
        yield* TestClock.adjust("1 second")
        feed.say(variedRecord("Node-1", { seenMs: nowMs + 1_000, sensing: nobody }))
        yield* TestClock.adjust("30 millis")
        expect(replica.one("binary_sensor.node_1_presence")!.state).toBe("off")
        expect(replica.one("sensor.node_1_persons")!.state).toBe("0")
        yield* TestClock.adjust("12 seconds")
        expect(replica.one("binary_sensor.node_1_presence")!.state).toBe("unavailable")
      })
    ))

  it("gives a node with the name of its room other entities", () =>
    withPlugin(({ enrolled, feed, host, replica }) =>
      Effect.gen(function* () {
        enrolled[0] = { ...enrolled[0]!, routerIds: ["flat"] }
        feed.say(variedRecord("flat", { seenMs: nowMs, entry: { environmentId: "flat" } }))
        yield* host.start
        expect(replica.one("binary_sensor.flat_presence")).toBeNull()
        expect(replica.one("binary_sensor.flat_2_presence")!.attributes["node_id"]).toBe("flat")
      })
    ))

  it("removes the device of a node that had the name of its room", () =>
    withPlugin(({ enrolled, feed, host }) =>
      Effect.gen(function* () {
        enrolled[0] = { ...enrolled[0]!, routerIds: ["flat"] }
        const { list, put } = yield* HomeRegistries
        const context = yield* (yield* HomeRuntime).context(null)
        const device = (deviceId: string, key: string) => ({
          ...deviceDefaults,
          deviceId,
          identifiers: [["wavepose", key] as const],
        })
        const former = [
          device("wavepose-node-flat", "node:flat"),
          device("wavepose-environment-flat", "environment:flat"),
        ]
        yield* put("device", former, context)
        const ids = Effect.map(list("device"), (devices) => devices.map(({ entry }) => entry.deviceId))
        feed.say(variedRecord("flat", { seenMs: nowMs, entry: { environmentId: "flat" } }))
        yield* host.start
        yield* TestClock.adjust("10 seconds")
        expect(yield* ids).toEqual(["wavepose-environment-flat", "wavepose-node-flat_2"])
      })
    ))

  it("withdraws the states of inactive nodes, keeps their registration, and removes nodes that are not enrolled", () =>
    withPlugin(({ enrolled, feed, host, replica }) =>
      Effect.gen(function* () {
        const registries = yield* HomeRegistries
        const say = (seenMs: number) => feed.say(variedRecord("Node-1", { seenMs }))
        const shown = () => replica.all().map(({ entityId }) => entityId).filter((id) => id.includes("node_1"))
        say(nowMs)
        yield* host.start
        expect(shown()).toHaveLength(8)
        const [before] = yield* registries.list("device")

        enrolled[0] = { ...enrolled[0]!, active: false }
        yield* TestClock.adjust("10 seconds")
        expect(shown()).toEqual([])
        expect(yield* registries.list("entity")).toHaveLength(8)

        enrolled[0] = { ...enrolled[0]!, active: true }
        yield* TestClock.adjust("1 second")
        say(nowMs + 11_000)
        yield* TestClock.adjust("30 millis")
        expect(shown()).toHaveLength(8)
        expect(yield* registries.list("device")).toEqual([before])

        enrolled.splice(0)
        yield* TestClock.adjust("10 seconds")
        expect(shown()).toEqual([])
        expect([...(yield* registries.list("entity")), ...(yield* registries.list("device"))]).toEqual([])
      })
    ))

  it("does not show an alert that was cleared while its room was inactive", () =>
    withPlugin(({ alerts, enrolled, feed, host, replica, sites }) =>
      Effect.gen(function* () {
        const flat = enrolled[0]!
        const say = (second: number) =>
          feed.say(variedRecord("Node-1", { seenMs: nowMs + 1_000 * second, entry: { environmentId: "flat" } }))
        const fall = () => replica.one("binary_sensor.flat_fall")?.state
        sites.push(flat.environment)
        alerts.push({ ...alert, environmentId: "flat" })
        say(0)
        yield* host.start
        yield* TestClock.adjust("2 seconds")
        expect(fall()).toBe("on")

        sites.pop()
        enrolled[0] = { ...flat, active: false }
        yield* TestClock.adjust("10 seconds")
        expect(fall()).toBeUndefined()

        alerts.pop()
        sites.push(flat.environment)
        enrolled[0] = flat
        yield* TestClock.adjust("10 seconds")
        say(22)
        // A second each, so that the room answers in between.
        for (let second = 0; second < 5; second++) yield* TestClock.adjust("1 second")
        expect(fall()).toBe("off")
        const reason = () => replica.one("binary_sensor.flat_fall")!.attributes["reason"]
        expect(reason()).toBeNull()
        for (let second = 0; second < 12; second++) yield* TestClock.adjust("1 second")
        expect([fall(), reason()]).toEqual(["unavailable", "This room has had no fresh data for 10 s."])
      })
    ))

  it("leaves out a node that the gate rejects, and no other", () =>
    withPlugin(({ enrolled, feed, host, replica, ways }) =>
      Effect.gen(function* () {
        const bedroom = { environmentId: "bedroom", name: "Bedroom", geometry: null }
        enrolled.push({ ...enrolled[0]!, environment: bedroom, routerIds: ["Bed"] })
        const say = (nodeId: string, environmentId: string, second: number, privacyClass: 1 | 2 = 2) =>
          feed.say(variedRecord(nodeId, { seenMs: nowMs + 1_000 * second, privacyClass, entry: { environmentId } }))
        const shown = () =>
          replica.all().filter(({ attributes }) => attributes["friendly_name"] !== undefined)
            .map(({ entityId }) => entityId)
        say("Node-1", "flat", 0)
        say("Bed", "bedroom", 0, 1)
        yield* host.start
        expect(statusOf(host)).toBe("loaded")
        yield* TestClock.adjust("2 seconds")
        expect(shown()).toContain("binary_sensor.node_1_presence")
        expect(shown().filter((id) => id.includes("bed"))).toEqual([])
        const reason = expect.stringContaining("Node Bed: A record of privacy class derived (1)")
        expect(ways.at(-1)).toEqual({ destination: "home", status: "active", reason })

        say("Bed", "bedroom", 3)
        yield* TestClock.adjust("2 seconds")
        expect(shown()).toContain("binary_sensor.bed_presence")
        expect(ways.at(-1)).toEqual({ destination: "home", status: "active", reason: null })

        say("Node-1", "flat", 5)
        say("Bed", "bedroom", 5, 1)
        yield* TestClock.adjust("2 seconds")
        expect(shown().filter((id) => id.includes("bed"))).toEqual([])
        expect(shown()).toContain("binary_sensor.node_1_presence")
        say("Node-1", "flat", 6, 1)
        yield* TestClock.adjust("1 second")
        expect(ways.at(-1)).toMatchObject({ destination: "home", status: "refused" })
      })
    ))
})
