/**
 * `wavepose start`: brings up one node, enrols the environments of its sources, starts the system and plays the source.
 */
import { SignInCodes } from "../../gateways/access/sign-in-codes.ts"
import { Effect, Fiber, Redacted, Schedule } from "effect"
import { thisNode } from "../../actors/session/configuration.ts"
import { createFirstAdmin, randomPassword } from "../../actors/store/accounts/users.ts"
import { leaveEnvironments } from "../../gateways/calls/leave-environments.ts"
import type { SystemStatusValue } from "../../protocols/domain/system.ts"
import { hostPort } from "../../protocols/domain/host-port.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { Enrolments } from "../../protocols/ports/enrolments.ts"
import { Router } from "../../protocols/messages/router.ts"
import { Session, sessionEntityId } from "../../protocols/messages/session.ts"
import { InvalidCommand } from "../settings/invalid-command.ts"
import { CurrentLogOutput } from "../settings/log-output.ts"
import { checkPorts } from "../composition/preflight.ts"
import { printResult } from "./output.ts"
import { openBrowser } from "./open-browser.ts"
import { printPassword, printReady, signInLink, welcomeText } from "./print.ts"
import { environmentIdsOf, planStart, sourceOf, type StartPlan } from "./start-plan.ts"
import { openCommand } from "../console/open-command.mjs"
import { Listeners } from "../composition/gateways.ts"
import { layerNodeOf, locateDatabase } from "../composition/service.ts"
import { readSettings, type Settings } from "../settings/settings.ts"
import { unknownVariables } from "../settings/unknown-variables.ts"
import { warnIgnoredPassword } from "../composition/reset-password.ts"
import type { EmptyAtFirst } from "../source/replay.ts"
import { superviseBridge } from "../children/bridge-process.ts"
import { superviseMqtt } from "../children/mqtt-process.ts"
import { superviseSource } from "../children/source-process.ts"
import type { SourceOptions } from "../settings/source-options.ts"

export interface StartCommandOptions {
  readonly source: SourceOptions
  readonly siteFiles: ReadonlyArray<string>
  /** Environments of other sources stay active beside those of this start. */
  readonly keepsEnvironments: boolean
  /** Opens the console in the browser. */
  readonly opensBrowser: boolean
  /** Stdout has only JSON. */
  readonly json: boolean
}

/**
 * Creates the first administrator. A generated password is printed at once, because it is not stored, and returned for the welcome.
 */
const firstAdmin = Effect.fnUntraced(function* ({ adminPassword, adminUsername }: Settings, json: boolean) {
  const given = adminPassword === null ? null : Redacted.value(adminPassword)
  const password = given ?? (yield* randomPassword)
  const created = yield* createFirstAdmin(adminUsername, password)
  if (!created && given !== null) yield* warnIgnoredPassword(adminUsername, given)
  if (!created || given !== null) return null
  if (!json) yield* printPassword(adminUsername, password)
  return password
})

/** How often the status of a session that changes is read. */
const statusSchedule = Schedule.spaced("100 millis")
const underWay: ReadonlyArray<SystemStatusValue> = ["starting", "stopping", "restarting"]
const sessionTimeout = "30 seconds"
/** A start may have to stop a session first, and to follow the changes of another node. */
const startAttempts = 5

const sessionUnavailable = () =>
  Effect.fail(
    new InvalidCommand({
      message:
        `The system session did not answer within ${sessionTimeout}. Check that a node of role sensing runs on this database.`,
    }),
  )

/**
 * Starts the system in the environment of the plan. Without a source that this node plays, a session that an operator has stopped stays
 * stopped. Another node may do the same at this moment, so each attempt reads the status again.
 */
const startSystem = Effect.fnUntraced(function* ({ environmentId, source }: StartPlan) {
  const playsSource = source.kind !== "none"
  const session = (yield* Session.client)(sessionEntityId)
  const settled = session.Status().pipe(
    Effect.repeat({ until: ({ status }) => !underWay.includes(status), schedule: statusSchedule }),
  )
  for (let attempt = 0; attempt < startAttempts; attempt++) {
    const { options, sessionId, status } = yield* settled
    const elsewhere = playsSource && options.environmentId !== environmentId
    if (status === "running" && !elsewhere) return
    if (sessionId !== null && !playsSource) return
    // A conflict means that another node was faster. The next attempt reads the result.
    yield* (status === "running" ? session.Stop({ force: true, saveState: true }) : session.Start({ environmentId }))
      .pipe(
        Effect.catchTag("SystemConflict", () => Effect.void),
      )
  }
}, Effect.timeoutOrElse({ duration: sessionTimeout, orElse: sessionUnavailable }))

/**
 * Enrols the environments of a start. An environment that one of its site files no longer names is removed, and its history is kept. On a
 * shared database it is only logged, because another node may have a different file at the same path.
 */
const enrolAll = Effect.fnUntraced(function* ({ enrolments }: StartPlan, { databaseUrl }: Settings) {
  const sharesDatabase = databaseUrl !== null
  const directory = yield* Directory
  const { all, remove } = yield* Enrolments
  for (const { environment, origin, routerIds } of enrolments) yield* directory.enrol(environment, routerIds, origin)
  const named = new Set(enrolments.map(({ environment }) => environment.environmentId))
  const files = new Set(enrolments.flatMap(({ origin }) => origin.source === "live" ? [origin.name] : []))
  for (const { active, environment: { environmentId }, origin } of yield* all) {
    if (named.has(environmentId)) continue
    if (origin.source === "live" && files.has(origin.name)) {
      if (!sharesDatabase) yield* remove(environmentId)
      yield* Effect.logInfo(
        sharesDatabase
          ? "environment no longer in its site file: wavepose site remove removes it"
          : "environment removed: its site file no longer names it; its history is kept",
        { environment_id: environmentId, site_file: origin.name },
      )
    } else if (!active) {
      yield* Effect.logInfo(
        "environment not active: it does not belong to the source of this start. --keep-environments activates it, " +
          "wavepose site remove removes it.",
        { environment_id: environmentId, origin: origin.source },
      )
    }
  }
})

/** A session whose environment is no longer active continues in all active ones. */
const leaveOthers = Effect.gen(function* () {
  const active = new Set((yield* (yield* Directory).environments).map(({ environmentId }) => environmentId))
  yield* leaveEnvironments((environmentId) => !active.has(environmentId), thisNode)
}).pipe(
  Effect.catch(({ message }) =>
    Effect.logWarning(`the system session may still name an inactive environment: ${message}`)
  ),
)

/** Calibrates the routers of rooms that are empty at first. */
const calibrate = Effect.fnUntraced(function* ({ routerIds, seconds }: EmptyAtFirst) {
  const client = yield* Router.client
  yield* Effect.forEach(routerIds, (routerId) => client(routerId).Calibrate({ room: "empty", seconds }), {
    concurrency: 8,
  })
})

/** Opens the console. A failure is a warning, because the link is printed as well. */
const openConsole = (link: string) =>
  openBrowser(openCommand(process.platform, link)).pipe(
    Effect.catch(({ message }) => Effect.logWarning(`the browser was not opened: ${message}. Open the printed link.`)),
  )

/** Runs the node once its layers are up. */
const run = Effect.fnUntraced(
  function* ({ json, opensBrowser, source }: StartCommandOptions, settings: Settings, plan: StartPlan) {
    yield* enrolAll(plan, settings)
    const listeners = yield* Listeners
    const password = listeners.pose === null ? null : yield* firstAdmin(settings, json)
    if (source.kind === "none") yield* leaveOthers
    yield* startSystem(plan)
    const terminal = !json && process.stdout.isTTY === true
    if (!terminal) yield* printReady(listeners)
    if (listeners.pose === null || listeners.localGrpc === null) return yield* Effect.never
    const node = {
      grpc: `grpc://${listeners.localGrpc}`,
      name: hostPort(settings.clusterHost, settings.clusterPort),
    }
    yield* Effect.forkScoped(superviseBridge(settings.edge, node))
    yield* Effect.forkScoped(superviseMqtt(settings.mqtt, settings.edge, node))
    const code = yield* (yield* SignInCodes).issue(settings.adminUsername)
    const welcome = {
      source: plan.source,
      pose: listeners.pose,
      home: listeners.home,
      bridge: settings.edge.bridge,
      username: settings.adminUsername,
      password,
      code,
      logFile: (yield* CurrentLogOutput).file,
    }
    yield* printResult(
      json,
      { ready: "console", url: signInLink(listeners.pose, code), username: settings.adminUsername, password },
      welcomeText(welcome, terminal),
    )
    if (opensBrowser) yield* Effect.forkScoped(openConsole(signInLink(listeners.pose, code)))
    if (source.kind === "none") return yield* Effect.never
    yield* Effect.forEach(plan.empty, calibrate, { discard: true })
    yield* superviseSource(source, node)
    return yield* Effect.never
  },
  // The children end before the layers, so that none of them loses its connection.
  Effect.scoped,
)

/** Spans are not exported, and each message of an actor would create several. */
const withoutSpans = Effect.withTracerEnabled(false)

/** Runs a node until it is interrupted. */
export const start = Effect.fnUntraced(function* (command: StartCommandOptions) {
  const settings = yield* readSettings(process.env)
  for (const text of unknownVariables(process.env)) yield* Effect.logWarning(text)
  if (command.source.kind !== "none" && !settings.roles.includes("gateway")) {
    return yield* new InvalidCommand({
      message:
        "A source needs the role gateway, because it sends to this node's gRPC edge. Add gateway to WAVEPOSE_ROLES, or use --source none.",
    })
  }
  const plan = yield* planStart(command.source, command.siteFiles)
  yield* checkPorts(settings)
  const { failed, location } = yield* locateDatabase(settings)
  const startedWith = {
    source: sourceOf(command.source),
    environmentIds: environmentIdsOf(plan.enrolments),
    keepsAll: command.keepsEnvironments,
    alone: settings.databaseUrl === null,
  }
  const node = yield* run(command, settings, plan).pipe(
    Effect.provide(layerNodeOf(settings, location, startedWith)),
    withoutSpans,
    Effect.forkDetach,
  )
  // A node whose database has failed writes no more: the process ends without the notice and the hand-over of a stop.
  return yield* Effect.raceFirst(Fiber.join(node), failed).pipe(Effect.onInterrupt(() => Fiber.interrupt(node)))
}, Effect.scoped)
