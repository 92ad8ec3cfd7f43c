/**
 * The services of the sensing domain, `wavepose.*`: they call the Router and Environment actors.
 */
import { Effect } from "effect"
import { Directory } from "../../../protocols/ports/directory.ts"
import { Environment } from "../../../protocols/messages/environment.ts"
import { Session, sessionEntityId } from "../../../protocols/messages/session.ts"
import { Router, routersToCalibrate } from "../../../protocols/messages/router.ts"
import { defineService, failed, refused, type Service } from "./service.ts"

/** The domain of the sensing entities and services in the home. */
export const sensingDomain = "wavepose"

const fanOut = { concurrency: 8 } as const
const answerLimit = "10 seconds"

const environmentField = {
  environment_id: {
    selector: { text: {} },
    description: "An environment. Default: all.",
    example: "living-room",
  },
} as const

/** An actor's answer. Its failures, and those of reaching it, become failures of a service; `mistakes` are the caller's. */
const ask = <A, E extends { readonly _tag: string; readonly message: string }, R>(
  call: Effect.Effect<A, E, R>,
  mistakes: ReadonlyArray<E["_tag"]>,
) =>
  call.pipe(
    Effect.timeoutOrElse({
      duration: answerLimit,
      orElse: () => Effect.fail(failed(`Nothing answered within ${answerLimit}. Try again.`)),
    }),
    Effect.mapError((error) =>
      mistakes.includes(error._tag) ? refused(error.message) : failed(error.message ?? error._tag)
    ),
  )

/** Calibrates the routers of an environment, or all. */
const makeCalibrate = Effect.gen(function* () {
  const directory = yield* Directory
  const router = yield* Router.client
  return Effect.fnUntraced(function* (
    environmentId: string | undefined,
    room: "empty" | "occupied",
    seconds: number,
  ) {
    if (environmentId !== undefined) yield* directory.environment(environmentId)
    const routerIds = (yield* directory.routers)
      .filter((each) => environmentId === undefined || each.environmentId === environmentId)
      .map(({ routerId }) => routerId)
    const routers = yield* Effect.forEach(routerIds, (routerId) => router(routerId).Describe(), fanOut)
    const able = yield* routersToCalibrate(routers)
    yield* Effect.forEach(able, (routerId) => router(routerId).Calibrate({ room, seconds }), fanOut)
    return { routers: able, room, seconds }
  })
})

/** Acknowledges an alert in the first environment where it is open. */
const makeAcknowledge = Effect.gen(function* () {
  const directory = yield* Directory
  const environment = yield* Environment.client
  return Effect.fnUntraced(function* (alertId: string, environmentId: string | undefined, by: string) {
    const environments = environmentId === undefined ? yield* directory.environments : [
      yield* directory.environment(environmentId),
    ]
    for (const { environmentId } of environments) {
      const { acknowledged } = yield* environment(environmentId).Acknowledge({ alertId, by })
      if (acknowledged) return { alert_id: alertId, environment_id: environmentId }
    }
    return yield* refused(`There is no open alert "${alertId}".`)
  })
})

const calibrateService = (calibrate: Effect.Success<typeof makeCalibrate>): Service =>
  defineService({
    domain: sensingDomain,
    name: "calibrate",
    text: "Learns the channel while a room is empty, or while a person sits, stands and walks in it.",
    fields: {
      ...environmentField,
      room: { selector: { select: { options: ["empty", "occupied"] } }, description: "Default: empty." },
      duration_seconds: {
        selector: { number: { min: 1, max: 3600, unit_of_measurement: "seconds" } },
        description: "Default: 60.",
      },
    },
    response: "optional",
    run: ({ data: { duration_seconds = 60, environment_id, room = "empty" } }) =>
      ask(calibrate(environment_id, room, duration_seconds), ["UnknownEnvironment", "UnknownRouter", "RoutersSilent"]),
  })

const acknowledgeService = (acknowledge: Effect.Success<typeof makeAcknowledge>): Service =>
  defineService({
    domain: sensingDomain,
    name: "acknowledge_alert",
    text: "Marks an open alert as attended to.",
    fields: {
      alert_id: {
        required: true,
        selector: { text: {} },
        description: "The id in the attributes of the alert's entity.",
      },
      ...environmentField,
    },
    response: "optional",
    run: ({ context, data: { alert_id, environment_id } }) =>
      ask(acknowledge(alert_id, environment_id, context.userId ?? "home"), ["UnknownEnvironment", "ServiceRefused"]),
  })

/** The first words of its range are those of `detection.confidence_threshold`. */
const personThreshold = { min: 0, max: 1, step: 0.05 } as const

/** Changes the minimum probability of a person, in the configuration of the system. */
const thresholdService = (session: Effect.Success<typeof Session.client>): Service =>
  defineService({
    domain: sensingDomain,
    name: "set_person_threshold",
    text: "Sets the minimum probability with which persons are reported, in all rooms.",
    fields: {
      value: { required: true, selector: { number: personThreshold }, description: "From 0 to 1.", example: 0.3 },
    },
    response: "optional",
    run: ({ context: { userId }, data: { value } }) =>
      ask(
        session(sessionEntityId).Configure({
          changes: { detection: { confidenceThreshold: value } },
          by: { kind: "user", id: userId ?? "home", name: "home" },
          ifRevision: null,
        }).pipe(Effect.map(({ configuration }) => ({ value: configuration.detection.confidenceThreshold }))),
        ["InvalidConfiguration"],
      ),
  })

/** The services, which call the actors of the cluster in context. */
export const sensingServices = Effect.gen(function* () {
  return [
    calibrateService(yield* makeCalibrate),
    acknowledgeService(yield* makeAcknowledge),
    thresholdService(yield* Session.client),
  ]
})
