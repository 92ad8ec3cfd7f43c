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
import { Clock, Effect, FiberMap, Schedule, Stream } from "effect"
import type { Alert } from "../../../../../protocols/domain/event.ts"
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
  releaseTo,
  zoneEntities,
} from "./environment-entities.ts"
import { calibrateButton, serviceDevice, thresholdNumber } from "./control-entities.ts"
import { makeWriter, type Writer } from "./entity-writer.ts"
import { makeNodes, type Nodes, type Verdict } from "./nodes.ts"
import { readRoom, roomEntities } from "./room-entities.ts"

/** Intervals at which zones are counted and silent nodes detected, and at which the environments are read from the directory. */
const pollInterval = "1 second"
const directoryEvery = "10 seconds"
const silence = "6 seconds"
const answerLimit = "2 seconds"
/** The most environments; further ones are ignored. */
const environmentsMax = 256
/** Alerts kept of an environment: more than it repeats. */
const alertsMax = 128

/** Follows the alerts of an environment. Subscribes again when the stream ends or is silent: its actor may have moved to another node. */
const followAlerts = Effect.fnUntraced(
  function* ({ capabilities }: BuiltInHome, write: Writer, nodes: Nodes, site: Site) {
    const { environmentId } = site
    const client = yield* Environment.client
    const device = environmentDevice(site)
    const alerts = new Map<string, Alert>()
    let begun = false

    const take = Effect.fnUntraced(function* (alert: Alert | null) {
      const known = alert === null ? undefined : alerts.get(alert.alertId)
      const fresh = alert !== null && (known === undefined || known.revision < alert.revision)
      if (fresh) {
        alerts.delete(alert.alertId)
        alerts.set(alert.alertId, alert)
        if (alerts.size > alertsMax) alerts.delete(alerts.keys().next().value!)
      }
      const privacyClass = nodes.classOf(environmentId)
      const released = privacyClass === null ? null : releaseTo([...alerts.values()], privacyClass)
      if (released === null) return
      yield* write.put(device, alertEntities(environmentId, released, device))
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

/** Counts the persons in an environment and in each of its zones. */
const countersOf = Effect.fnUntraced(function* (write: Writer, nodes: Nodes) {
  const client = yield* Environment.client
  return Effect.fnUntraced(function* (site: Site) {
    const privacyClass = nodes.classOf(site.environmentId)
    if (privacyClass === null) return
    const latest = client(site.environmentId).Latest().pipe(
      Effect.timeout(answerLimit),
      Effect.map(decodePoseFrame),
      Effect.catchCause(() => Effect.succeed(null)),
    )
    const frame = yield* latest
    const nowMs = yield* Clock.currentTimeMillis
    const room = releaseTo(
      readRoom(site.environmentId, frame, nodes.readingsOf(site.environmentId), nowMs),
      privacyClass,
    )
    const zones = releaseTo(countZones(site, frame, nowMs), privacyClass)
    const device = environmentDevice(site)
    if (room !== null) {
      yield* write.put(device, [...roomEntities(room, device), calibrateButton(site.environmentId, device)])
    }
    if (zones !== null) yield* write.put(device, zoneEntities(site, zones, device))
  })
})

/** The identifiers of devices. */
const nodeKey = (nodeId: string) => `node:${nodeId}`
const environmentKey = (environmentId: string) => `environment:${environmentId}`

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
      const nodes = makeNodes(write)
      const following = yield* FiberMap.make<string>()
      const count = yield* countersOf(write, nodes)
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
          yield* FiberMap.run(following, key, followAlerts(home, write, nodes, site), { onlyIfMissing: true })
        }
        const kept = new Set(sites.map((site) => JSON.stringify(site)))
        for (const [key] of following) if (!kept.has(key)) yield* FiberMap.remove(following, key)
      }).pipe(Effect.catch(({ message }) => Effect.logWarning(`could not read the environments: ${message}`)))

      home.onUpdate(() => refresh)
      yield* Effect.forkScoped(watch)
      yield* readDirectory
      yield* Effect.forkScoped(Effect.repeat(readDirectory, Schedule.spaced(directoryEvery)))
      yield* Effect.forkScoped(Effect.repeat(refresh, Schedule.spaced(pollInterval)))
    }).pipe(Effect.provide(context))) satisfies BuiltInSetup
})
