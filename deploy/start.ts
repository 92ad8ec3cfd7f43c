/**
 * `wavepose start`: brings up one node, enrols what it is told to, starts the system, and plays the source.
 */
import { Effect, Redacted, Schedule, Schema } from "effect"
import { readFile } from "node:fs/promises"
import { createFirstAdmin, randomPassword } from "../actors/store/accounts.ts"
import { Environment } from "../protocols/domain/site.ts"
import { defaultStartOptions } from "../protocols/domain/system.ts"
import { Directory } from "../protocols/messages/directory.ts"
import { Router } from "../protocols/messages/router.ts"
import { Session, sessionEntityId } from "../protocols/messages/session.ts"
import { InvalidCommand, loadScenario } from "./play-command.ts"
import { printReady, printWelcome } from "./print.ts"
import { layerNodeOf, Listeners, locateDatabase } from "./service.ts"
import { readSettings, type Settings } from "./settings.ts"
import { type Enrolment, replayEnrolment } from "./source/replay.ts"
import { scenarioEnrolment } from "./source/simulate.ts"
import { superviseSource } from "./source-process.ts"

/** Where CSI comes from. */
export type SourceOptions =
  | { readonly kind: "simulated"; readonly seed: number | null; readonly speed: number }
  | { readonly kind: "replay"; readonly files: ReadonlyArray<string>; readonly speed: number; readonly loop: boolean }
  | { readonly kind: "none" }

export interface StartCommandOptions {
  readonly source: SourceOptions
  readonly siteFiles: ReadonlyArray<string>
}

const scenarioName = "small-room"

/** A site file: an environment and the routers in it. */
const Site = Schema.Struct({ ...Environment.fields, routers: Schema.Array(Schema.String) })

const readSite = Effect.fnUntraced(function* (file: string): Effect.fn.Return<Enrolment, InvalidCommand> {
  const invalid = (cause: unknown) => new InvalidCommand({ message: `${file} is not a site: ${cause}` })
  const json = yield* Effect.tryPromise({ try: async () => JSON.parse(await readFile(file, "utf8")), catch: invalid })
  const { routers, ...environment } = yield* Schema.decodeUnknownEffect(Site)(json).pipe(Effect.mapError(invalid))
  return { environment, routerIds: routers }
})

/** What has to be enrolled, and how long the room of the source is empty at its beginning. */
const planOf = Effect.fnUntraced(function* ({ siteFiles, source }: StartCommandOptions) {
  const sites = yield* Effect.forEach(siteFiles, readSite)
  switch (source.kind) {
    case "none":
      return { enrolments: sites, environmentId: null, emptySeconds: 0 }
    case "replay":
      return { enrolments: [...sites, replayEnrolment(source.files)], environmentId: "replay", emptySeconds: 0 }
    case "simulated": {
      const scenario = yield* loadScenario(scenarioName)
      const enrolment = scenarioEnrolment(scenario)
      return {
        enrolments: [...sites, enrolment],
        environmentId: enrolment.environment.environmentId,
        emptySeconds: scenario.emptySeconds,
      }
    }
  }
})

/** Creates the first administrator; answers the password when it was made up here, so that it can be shown once. */
const firstAdmin = Effect.fnUntraced(function* (settings: Settings) {
  const given = settings.adminPassword === null ? null : Redacted.value(settings.adminPassword)
  const password = given ?? (yield* randomPassword)
  const created = yield* createFirstAdmin(settings.adminUsername, password)
  return created && given === null ? password : null
})

const patience = Schedule.spaced("100 millis")

/**
 * Starts the system in the source's environment. An operator's stop is respected: only a demonstration source starts a
 * system that was stopped.
 */
const startSystem = Effect.fnUntraced(function* (environmentId: string | null, demonstration: boolean) {
  const session = (yield* Session.client)(sessionEntityId)
  const { options, sessionId, status } = yield* session.Status()
  const elsewhere = demonstration && options.environmentId !== environmentId
  if (status === "running" && elsewhere) yield* session.Stop({ force: true, saveState: true })
  else if (status === "running" || (sessionId !== null && !demonstration)) return
  yield* session.Start({ ...defaultStartOptions, environmentId }).pipe(
    Effect.retry({ while: (error) => error._tag === "SystemConflict", times: 100, schedule: patience }),
  )
  yield* session.Status().pipe(
    Effect.repeat({ until: (each) => each.status !== "starting", times: 100, schedule: patience }),
  )
})

/** Takes the reference of a room that is known to be empty at first. */
const calibrate = Effect.fnUntraced(function* (routerIds: ReadonlyArray<string>, seconds: number) {
  const client = yield* Router.client
  yield* Effect.forEach(routerIds, (routerId) => client(routerId).Calibrate({ seconds }), { concurrency: 8 })
})

/** What the node does once its layers are up. */
const run = Effect.fnUntraced(function* (command: StartCommandOptions, settings: Settings) {
  const { source } = command
  const directory = yield* Directory
  const plan = yield* planOf(command)
  for (const { environment, routerIds } of plan.enrolments) yield* directory.enrol(environment, routerIds)
  const password = yield* firstAdmin(settings)
  yield* startSystem(plan.environmentId, source.kind !== "none")
  const listeners = yield* Listeners
  yield* printReady(listeners)
  if (listeners.pose === null || listeners.grpc === null) return yield* Effect.never
  yield* printWelcome({ source, pose: listeners.pose, username: settings.adminUsername, password })
  if (source.kind === "none") return yield* Effect.never
  if (plan.emptySeconds > 0) yield* calibrate(plan.enrolments.flatMap((each) => each.routerIds), plan.emptySeconds)
  yield* superviseSource(source, listeners.grpc)
  return yield* Effect.never
})

/** Runs a node until it is interrupted. */
export const start = Effect.fnUntraced(function* (command: StartCommandOptions) {
  const settings = yield* readSettings(process.env)
  if (command.source.kind !== "none" && !settings.roles.includes("gateway")) {
    return yield* new InvalidCommand({
      message:
        "A source needs the role gateway: it sends through this node's gRPC door. Add it to WAVEPOSE_ROLES, or use --source none.",
    })
  }
  const location = yield* locateDatabase(settings)
  return yield* run(command, settings).pipe(Effect.provide(layerNodeOf(settings, location)))
}, Effect.scoped)
