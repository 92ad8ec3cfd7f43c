/**
 * The sensing plugin: publishes edge nodes and environments as entities and devices of the home, and registers their services.
 *
 * Boundary: `node-entities.ts` and `environment-entities.ts` define the entities, `write-throttle.ts` when they are written.
 *
 * Invariants:
 * 1. It receives only node records that the privacy gate has released to the home. When a record is rejected, the states of its node and of the
 *    environment are removed, and the state of the egress contains the reason. Other nodes and environments are not affected.
 * 2. It publishes nothing about an environment while the class of one of its nodes forbids it.
 */
import { Cause, Clock, Effect, FiberMap, Option, Schedule, Stream } from "effect"
import type { Alert } from "../../../../../protocols/domain/event.ts"
import { staleAfterMs } from "../../../../../protocols/domain/lateness.ts"
import { decodePoseFrame } from "../../../../../protocols/grpc/pose-frame.ts"
import { Configurations } from "../../../../../protocols/ports/configuration.ts"
import { Directory } from "../../../../../protocols/ports/directory.ts"
import { EdgeVerdicts } from "../../../../../protocols/ports/edge-feed.ts"
import { Enrolments } from "../../../../../protocols/ports/enrolments.ts"
import { Environment } from "../../../../../protocols/messages/environment.ts"
import { type EgressState, EgressStates } from "../../../../../protocols/ports/egress.ts"
import type { Environment as Site } from "../../../../../protocols/domain/site.ts"
import { sensingServices } from "../../../services/sensing.ts"
import type { BuiltInHome, BuiltInSetup } from "../../built-ins.ts"
import {
  alertEntities,
  alertJson,
  countZones,
  environmentDevice,
  type NoFrame,
  releaseTo,
  zoneEntities,
} from "./environment-entities.ts"
import { calibrateButton, serviceDevice, thresholdNumber } from "./control-entities.ts"
import { makeWriter, type Writer } from "./entity-writer.ts"
import { makeNodes, type Nodes, type Verdict } from "./nodes.ts"
import { readRoom, roomEntities } from "./room-entities.ts"
import { environmentKey, isSuperseded, makeSlugs, nodeKey, type Slugs } from "./slugs.ts"

/** Intervals at which zones are counted and silent nodes detected, and at which the environments are read from the directory. */
const pollInterval = "1 second"
const directoryEvery = "10 seconds"
const silence = "6 seconds"
const answerLimit = "2 seconds"
/** The most environments; further ones are ignored. */
const environmentsMax = 256
/** Alerts kept of an environment: more than it repeats. */
const alertsMax = 128

/** The alerts of an environment. */
interface KnownAlerts {
  readonly byId: Map<string, Alert>
  heardMs: number
  /** Why the absence of alerts means nothing; null while fresh data of the room arrive. */
  unwatched: string | null
}

/** What the entities are made of and written with. */
interface Shown {
  readonly write: Writer
  readonly nodes: Nodes
  readonly slugs: Slugs
  readonly alerts: Map<string, KnownAlerts>
}

/** Writes the entities of an environment's alerts. */
const showAlerts = Effect.fnUntraced(function* (
  { nodes, slugs, write }: Shown,
  site: Site,
  known: KnownAlerts,
) {
  const { environmentId } = site
  const privacyClass = nodes.classOf(environmentId)
  const released = privacyClass === null ? null : releaseTo([...known.byId.values()], privacyClass)
  if (released === null) return false
  const device = environmentDevice(site, slugs("environment", environmentId))
  const isHeard = (yield* Clock.currentTimeMillis) - known.heardMs <= staleAfterMs
  yield* write.put(
    device,
    alertEntities(
      environmentId,
      released,
      device,
      known.unwatched ?? (isHeard ? null : "The alerts of this room do not arrive."),
    ),
  )
  return true
})

/** Follows the alerts of an environment. Subscribes again when the stream ends or is silent: its actor may have moved to another node. */
const followAlerts = Effect.fnUntraced(
  function* ({ capabilities }: BuiltInHome, shown: Shown, site: Site) {
    const { environmentId } = site
    const all = shown.alerts
    const client = yield* Environment.client
    let begun = false

    const take = Effect.fnUntraced(function* (alert: Alert | null) {
      const known = all.get(environmentId) ??
        { byId: new Map<string, Alert>(), heardMs: 0, unwatched: "Not known yet." }
      all.set(environmentId, known)
      known.heardMs = yield* Clock.currentTimeMillis
      const before = alert === null ? undefined : known.byId.get(alert.alertId)
      const fresh = alert !== null && (before === undefined || before.revision < alert.revision)
      if (fresh) {
        known.byId.delete(alert.alertId)
        known.byId.set(alert.alertId, alert)
        if (known.byId.size > alertsMax) known.byId.delete(known.byId.keys().next().value!)
      }
      if (!(yield* showAlerts(shown, site, known))) return
      // Cleared alerts that an environment repeats at the beginning are history.
      if (fresh && (begun || alert.status !== "cleared")) yield* capabilities.fire("wavepose_alert", alertJson(alert))
      begun ||= alert === null
    })
    const follow = client(environmentId).WatchAlerts().pipe(Stream.timeout(silence), Stream.runForEach(take))
    return yield* Effect.exit(follow).pipe(
      Effect.andThen(Effect.sleep(pollInterval)),
      Effect.forever,
    )
  },
)

/** The reason why an environment has no newest frame. */
const noFrameOf = (cause: Cause.Cause<{ readonly _tag: string; readonly message: string }>): NoFrame => {
  const failure = Option.getOrNull(Cause.findErrorOption(cause))
  if (failure === null) return { reason: "This environment does not answer.", stopped: false }
  if (failure._tag === "NoFrames") return { reason: "This environment has no frame yet.", stopped: false }
  return { reason: failure.message, stopped: failure._tag === "SystemNotRunning" }
}

/** Counts the persons in an environment and in each of its zones, and shows whether its alerts are watched. */
const countersOf = Effect.fnUntraced(function* (shown: Shown) {
  const { alerts, nodes, slugs, write } = shown
  const client = yield* Environment.client
  return Effect.fnUntraced(function* (site: Site) {
    const privacyClass = nodes.classOf(site.environmentId)
    if (privacyClass === null) return
    const latest = client(site.environmentId).Latest().pipe(
      Effect.timeoutOrElse({ duration: answerLimit, orElse: () => Effect.die("no answer") }),
      Effect.map(decodePoseFrame),
      Effect.catchCause((cause) => Effect.succeed(noFrameOf(cause))),
    )
    const newest = yield* latest
    const nowMs = yield* Clock.currentTimeMillis
    const readings = nodes.readingsOf(site.environmentId)
    const reading = readRoom(site.environmentId, "stopped" in newest ? null : newest, readings, nowMs)
    const room = releaseTo(reading, privacyClass)
    const zones = releaseTo(countZones(site, newest, nowMs), privacyClass)
    const device = environmentDevice(site, slugs("environment", site.environmentId))
    if (room !== null) {
      yield* write.put(device, [...roomEntities(room, device), calibrateButton(site.environmentId, device)])
    }
    if (zones !== null) yield* write.put(device, zoneEntities(site, zones, device))
    const known = alerts.get(site.environmentId)
    if (known === undefined) return
    known.unwatched = reading.watched ? null : `This room has had no fresh data for ${staleAfterMs / 1000} s.`
    yield* showAlerts(shown, site, known)
  })
})

/**
 * Removes nodes and environments from the home that are inactive or that the privacy gate rejects. While they are enrolled, their entities
 * lose their states but stay registered, with the names and areas that a user gave them. Otherwise the whole device is removed.
 */
const makeSweep = Effect.fnUntraced(function* ({ capabilities }: BuiltInHome, write: Writer, nodes: Nodes) {
  const directory = yield* Directory
  const enrolments = yield* Enrolments
  return Effect.gen(function* () {
    const all = yield* enrolments.all
    const keysOf = (some: typeof all) =>
      new Set(some.flatMap(({ environment, routerIds }) => [
        environmentKey(environment.environmentId),
        ...routerIds.map(nodeKey),
      ]))
    const [enrolled, active] = [keysOf(all), keysOf(all.filter((each) => each.active))]
    for (const nodeId of nodes.ids()) if (!active.has(nodeKey(nodeId))) nodes.forget(nodeId)
    for (const { environmentId, nodeId } of nodes.refused()) {
      active.delete(nodeKey(nodeId))
      if (environmentId !== null) active.delete(environmentKey(environmentId))
    }
    for (const own of yield* capabilities.devices) {
      const names = own.device.identifiers.map(([, name]) => name)
      if (own.device.deviceId === serviceDevice.order.deviceId || names.some((name) => active.has(name))) continue
      write.forget(own)
      yield* names.some((name) => enrolled.has(name))
        ? Effect.forEach(own.entityIds, capabilities.withdraw, { discard: true })
        : capabilities.removeDevice(own.device.deviceId)
    }
    return yield* directory.environments
  })
})

/**
 * Removes devices of earlier runs whose room or node has another slug now. Their entities that belong to another device are registered with that
 * one by then, and keep the names and areas that a user gave them.
 */
const removeSuperseded = Effect.fnUntraced(
  function* ({ capabilities }: BuiltInHome, { slugs, write }: Shown) {
    yield* Effect.sleep(directoryEvery)
    for (const own of yield* capabilities.devices) {
      if (!isSuperseded(own.device, slugs)) continue
      write.forget(own)
      yield* capabilities.removeDevice(own.device.deviceId)
    }
  },
  Effect.catch(({ message }) => Effect.logWarning(`former devices are removed at the next start: ${message}`)),
)

/** The state of the home as an egress. It is refused only if no node is left. */
const egressState = (nodes: Nodes): EgressState => {
  const messages = nodes.refused().map(({ message }) => message)
  return {
    destination: "home",
    status: messages.length > 0 && nodes.areAllRefused() ? "refused" : "active",
    reason: messages.length === 0 ? null : messages.join(" "),
  }
}

/** The plugin's setup, with the ports of the cluster in context. */
export const sensingPlugin = Effect.gen(function* () {
  const feed = yield* EdgeVerdicts
  const egressStates = yield* EgressStates
  const configurations = yield* Configurations
  const services = yield* sensingServices
  const context = yield* Effect.context<Effect.Services<typeof Environment.client> | Directory | Enrolments>()

  return ((home) =>
    Effect.gen(function* () {
      const { capabilities } = home
      const write = makeWriter(home)
      const slugs = makeSlugs(yield* capabilities.devices)
      const nodes = makeNodes(write, slugs)
      const following = yield* FiberMap.make<string>()
      const shown: Shown = { write, nodes, slugs, alerts: new Map() }
      const count = yield* countersOf(shown)
      const sweep = yield* makeSweep(home, write, nodes)
      let sites: ReadonlyArray<Site> = []

      yield* Effect.forEach(services, capabilities.registerService, { discard: true })
      yield* egressStates.report({ destination: "home", status: "starting", reason: null })
      yield* Effect.forEach(yield* feed.current("home"), nodes.judge, { discard: true })
      yield* egressStates.report(egressState(nodes))

      const take = Effect.fnUntraced(function* (verdict: Verdict) {
        if (!(yield* nodes.judge(verdict))) return
        yield* egressStates.report(egressState(nodes))
        yield* readDirectory
      })
      const watch = feed.watch("home").pipe(
        Stream.runForEach(take),
        Effect.catchCause((cause) => Effect.logDebug("the edge feed failed; it is opened again", cause)),
        Effect.andThen(Effect.sleep(pollInterval)),
        Effect.forever,
      )
      const showThreshold = configurations.current.pipe(
        Effect.flatMap(({ detection }) => write.put(serviceDevice, [thresholdNumber(detection.confidenceThreshold)])),
        Effect.catch(({ message }) => Effect.logDebug(`the configuration could not be read: ${message}`)),
      )
      const refresh = Effect.gen(function* () {
        yield* nodes.showAll
        yield* Effect.forEach(sites, count, { discard: true, concurrency: 8 })
        if (sites.length > 0) yield* showThreshold
      })
      const readDirectory = Effect.gen(function* () {
        sites = (yield* sweep).slice(0, environmentsMax)
        for (const site of sites) {
          const key = JSON.stringify(site)
          yield* FiberMap.run(following, key, followAlerts(home, shown, site), { onlyIfMissing: true })
        }
        const kept = new Set(sites.map((site) => JSON.stringify(site)))
        for (const [key] of following) if (!kept.has(key)) yield* FiberMap.remove(following, key)
        // A room that returns repeats its open alerts, but not those that were cleared meanwhile.
        const present = new Set(sites.map(({ environmentId }) => environmentId))
        for (const environmentId of shown.alerts.keys()) {
          if (!present.has(environmentId)) shown.alerts.delete(environmentId)
        }
      }).pipe(Effect.catch(({ message }) => Effect.logWarning(`could not read the environments: ${message}`)))

      home.onUpdate(() => refresh)
      yield* Effect.forkScoped(watch)
      yield* readDirectory
      yield* Effect.forkScoped(Effect.repeat(readDirectory, Schedule.spaced(directoryEvery)))
      yield* Effect.forkScoped(removeSuperseded(home, shown))
      yield* Effect.forkScoped(Effect.repeat(refresh, Schedule.spaced(pollInterval)))
    }).pipe(Effect.provide(context))) satisfies BuiltInSetup
})
