/**
 * `wavepose start`: brings up one node, enrols what it is told to, starts the system, and plays the source.
 */
import { SignInCodes } from "../../gateways/access/sign-in-codes.ts"
import { Effect, Redacted, Schedule } from "effect"
import { resolve } from "node:path"
import { thisNode } from "../../actors/session/configuration.ts"
import { createFirstAdmin, randomPassword } from "../../actors/store/accounts/users.ts"
import { leaveEnvironments } from "../../gateways/calls/leave-environments.ts"
import type { Source } from "../../protocols/domain/provenance.ts"
import type { Origin, Site } from "../../protocols/domain/site.ts"
import type { SystemStatusValue } from "../../protocols/domain/system.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { Enrolments } from "../../protocols/ports/enrolments.ts"
import { Router } from "../../protocols/messages/router.ts"
import { Session, sessionEntityId } from "../../protocols/messages/session.ts"
import { InvalidCommand } from "../settings/invalid-command.ts"
import { loadScenario } from "./replay-command.ts"
import { checkPorts } from "../composition/preflight.ts"
import { printPassword, printReady, printWelcome, type SourceDescription } from "./print.ts"
import { Listeners } from "../composition/gateways.ts"
import { layerNodeOf, locateDatabase } from "../composition/service.ts"
import { readSettings, type Settings } from "../settings/settings.ts"
import { readSites } from "../settings/site-file.ts"
import { warnIgnoredPassword } from "../composition/reset-password.ts"
import { type EmptyAtFirst, type Enrolment, planReplay } from "../source/replay.ts"
import { emptyAtFirst, scenarioEnrolments } from "../source/simulate.ts"
import { superviseBridge } from "../children/bridge-process.ts"
import { superviseMqtt } from "../children/mqtt-process.ts"
import { superviseSource } from "../children/source-process.ts"
import type { SourceOptions } from "../settings/source-options.ts"

export interface StartCommandOptions {
  readonly source: SourceOptions
  readonly siteFiles: ReadonlyArray<string>
  /** Environments of other sources stay active beside those of this start. */
  readonly keepsEnvironments: boolean
}

/** An enrolment and what it comes from. */
interface Planned extends Enrolment {
  readonly origin: Origin
}

const planSite = (file: string) => ({ routers, ...environment }: Site): Planned => ({
  environment,
  routerIds: routers,
  origin: { source: "live", name: resolve(file) },
})

/** What has to be done before a source plays. */
interface Plan {
  readonly enrolments: ReadonlyArray<Planned>
  /** Environment that the system runs in; null: in all. */
  readonly environmentId: string | null
  /** Rooms that are known to be empty when the source begins. */
  readonly empty: ReadonlyArray<EmptyAtFirst>
  readonly source: SourceDescription
}

/** The kind of source whose routers a start waits for or plays. */
const sourceOf = ({ kind }: SourceOptions): Source => kind === "none" ? "live" : kind

/** The one environment of a source; null for several. */
const onlyOf = (enrolments: ReadonlyArray<Enrolment>): string | null =>
  enrolments.length === 1 ? enrolments[0]!.environment.environmentId : null

const environmentIdsOf = (enrolments: ReadonlyArray<Enrolment>): ReadonlyArray<string> =>
  enrolments.map(({ environment }) => environment.environmentId)

const planOf = Effect.fnUntraced(function* ({ siteFiles, source }: StartCommandOptions) {
  const sites = (yield* Effect.forEach(siteFiles, (file) =>
    Effect.map(readSites(file), (read) => read.map(planSite(file)))))
    .flat()
  const planned = (
    enrolments: ReadonlyArray<Enrolment>,
    empty: ReadonlyArray<EmptyAtFirst>,
    description: SourceDescription,
    name: string | null = null,
  ): Plan => ({
    enrolments: [...sites, ...enrolments.map((one) => ({ ...one, origin: { source: sourceOf(source), name } }))],
    environmentId: onlyOf(enrolments),
    empty,
    source: description,
  })
  switch (source.kind) {
    case "none":
      return planned([], [], { kind: "none" })
    case "replay": {
      const { empty, enrolments, simulated } = yield* planReplay(source.files)
      const environmentIds = environmentIdsOf(enrolments)
      return planned(
        enrolments,
        empty,
        { kind: "replay", files: source.files, simulated, environmentIds },
        source.files.map((file) => resolve(file)).join(", "),
      )
    }
    case "simulated": {
      const scenario = yield* loadScenario(source.scenario, source.seed)
      const enrolments = scenarioEnrolments(scenario)
      const description = { kind: "simulated", scenario, environmentIds: environmentIdsOf(enrolments) } as const
      return planned(enrolments, emptyAtFirst(scenario), description, scenario.scenarioId)
    }
  }
})

/**
 * Creates the first administrator. A password that was made up here is shown at once, because it is nowhere else, and
 * answered, for the commands to try.
 */
const firstAdmin = Effect.fnUntraced(function* ({ adminPassword, adminUsername }: Settings) {
  const given = adminPassword === null ? null : Redacted.value(adminPassword)
  const password = given ?? (yield* randomPassword)
  const created = yield* createFirstAdmin(adminUsername, password)
  if (!created && given !== null) yield* warnIgnoredPassword(adminUsername, given)
  if (!created || given !== null) return null
  yield* printPassword(adminUsername, password)
  return password
})

const patience = Schedule.spaced("100 millis")

const sessionTimeout = "30 seconds"

const nobodyAnswers = () =>
  Effect.fail(
    new InvalidCommand({
      message:
        `The system session did not answer within ${sessionTimeout}: does a node of role sensing run on this database?`,
    }),
  )

/**
 * Starts the system in the source's environment. An operator's stop is respected: only a demonstration source starts a
 * system that was stopped. Another node may do the same at this moment, so every look is a new one.
 */
const startSystem = Effect.fnUntraced(function* (environmentId: string | null, demonstration: boolean) {
  const session = (yield* Session.client)(sessionEntityId)
  const settled = session.Status().pipe(
    Effect.repeat({ until: ({ status }) => !underWay.includes(status), schedule: patience }),
  )
  for (let attempt = 0; attempt < startAttempts; attempt++) {
    const { options, sessionId, status } = yield* settled
    const elsewhere = demonstration && options.environmentId !== environmentId
    if (status === "running" && !elsewhere) return
    if (sessionId !== null && !demonstration) return
    // A conflict means that somebody else was faster: the next look shows what they did.
    yield* (status === "running" ? session.Stop({ force: true, saveState: true }) : session.Start({ environmentId }))
      .pipe(
        Effect.catchTag("SystemConflict", () => Effect.void),
      )
  }
}, Effect.timeoutOrElse({ duration: sessionTimeout, orElse: nobodyAnswers }))

/** A start may need to stop first, and to follow another node's moves. */
const startAttempts = 5
const underWay: ReadonlyArray<SystemStatusValue> = ["starting", "stopping", "restarting"]

/**
 * Enrols what the start names. An environment that one of its site files named before and names no more is removed, its history kept; on a
 * shared database it is logged only, because a file of the same path may be another one on another node.
 */
const enrolAll = Effect.fnUntraced(function* ({ enrolments }: Plan, alone: boolean) {
  const directory = yield* Directory
  const { all, remove } = yield* Enrolments
  for (const { environment, origin, routerIds } of enrolments) yield* directory.enrol(environment, routerIds, origin)
  const named = new Set(enrolments.map(({ environment }) => environment.environmentId))
  const files = new Set(enrolments.flatMap(({ origin }) => origin.source === "live" ? [origin.name] : []))
  for (const { active, environment: { environmentId }, origin } of yield* all) {
    if (named.has(environmentId)) continue
    if (origin.source === "live" && files.has(origin.name)) {
      if (alone) yield* remove(environmentId)
      yield* Effect.logInfo(
        alone
          ? `environment ${environmentId} is removed: ${origin.name} does not name it any more; its history is kept`
          : `${origin.name} does not name environment ${environmentId} any more: wavepose site remove removes it`,
      )
    } else if (!active) {
      yield* Effect.logInfo(
        `environment ${environmentId} (${origin.source}) is not active: it does not belong to the source of this start. ` +
          "--keep-environments keeps it, wavepose site remove removes it.",
      )
    }
  }
})

/** A session that an earlier start gave an environment that is not active any more goes on in all that are. */
const leaveOthers = Effect.gen(function* () {
  const active = new Set((yield* (yield* Directory).environments).map(({ environmentId }) => environmentId))
  yield* leaveEnvironments((environmentId) => !active.has(environmentId), thisNode)
}).pipe(
  Effect.catch(({ message }) =>
    Effect.logWarning(`the system session may still name an environment that is not active: ${message}`)
  ),
)

/** Takes the reference of rooms that are known to be empty at first. */
const calibrate = Effect.fnUntraced(function* ({ routerIds, seconds }: EmptyAtFirst) {
  const client = yield* Router.client
  yield* Effect.forEach(routerIds, (routerId) => client(routerId).Calibrate({ room: "empty", seconds }), {
    concurrency: 8,
  })
})

/** What the node does once its layers are up. */
const run = Effect.fnUntraced(function* ({ source }: StartCommandOptions, settings: Settings, plan: Plan) {
  yield* enrolAll(plan, settings.databaseUrl === null)
  const listeners = yield* Listeners
  const password = listeners.pose === null ? null : yield* firstAdmin(settings)
  if (source.kind === "none") yield* leaveOthers
  yield* startSystem(plan.environmentId, source.kind !== "none")
  yield* printReady(listeners)
  if (listeners.pose === null || listeners.grpc === null) return yield* Effect.never
  const destination = { to: `grpc://${listeners.grpc}`, caFile: settings.grpcTls?.certFile ?? null }
  yield* Effect.forkScoped(superviseBridge(settings.edge, destination))
  yield* Effect.forkScoped(superviseMqtt(settings.mqtt, settings.edge, destination))
  yield* printWelcome({
    source: plan.source,
    pose: listeners.pose,
    home: listeners.home,
    bridge: settings.edge.bridge,
    username: settings.adminUsername,
    password,
    code: yield* (yield* SignInCodes).issue(settings.adminUsername),
  })
  if (source.kind === "none") return yield* Effect.never
  yield* Effect.forEach(plan.empty, calibrate, { discard: true })
  yield* superviseSource(source, destination)
  return yield* Effect.never
  // Its children end before the layers do: none of them sees the service go away.
}, Effect.scoped)

/** Nobody reads spans, and each message of an actor would make several. */
const withoutSpans = Effect.withTracerEnabled(false)

/** Runs a node until it is interrupted. */
export const start = Effect.fnUntraced(function* (command: StartCommandOptions) {
  const settings = yield* readSettings(process.env)
  if (command.source.kind !== "none" && !settings.roles.includes("gateway")) {
    return yield* new InvalidCommand({
      message:
        "A source needs the role gateway: it sends through this node's gRPC door. Add it to WAVEPOSE_ROLES, or use --source none.",
    })
  }
  const plan = yield* planOf(command)
  yield* checkPorts(settings)
  const { failed, location } = yield* locateDatabase(settings)
  const startedWith = {
    source: sourceOf(command.source),
    environmentIds: environmentIdsOf(plan.enrolments),
    keepsAll: command.keepsEnvironments,
    alone: settings.databaseUrl === null,
  }
  return yield* withoutSpans(Effect.raceFirst(
    run(command, settings, plan).pipe(Effect.provide(layerNodeOf(settings, location, startedWith))),
    failed,
  ))
}, Effect.scoped)
