/**
 * The sensing domain's own services, `wavepose.*`: they reach the routers and environments of the service by their messages.
 */
import { Effect } from "effect"
import { RoutersSilent } from "../../../protocols/domain/failure.ts"
import { Directory } from "../../../protocols/ports/directory.ts"
import { Environment } from "../../../protocols/messages/environment.ts"
import { Router } from "../../../protocols/messages/router.ts"
import { defineService, failed, refused } from "./service.ts"

/** The domain of entities and services that the sensing part of this service has in the home. */
export const sensingDomain = "wavepose"

const fanOut = { concurrency: 8 } as const
/** An actor that does not answer in time does not exist for a home. */
const answerLimit = "10 seconds"

const environmentField = {
  environment_id: {
    selector: { text: {} },
    description: "An environment; all of them without it.",
    example: "living-room",
  },
} as const

interface Spoken {
  readonly _tag: string
  readonly message: string
}

/** What an actor answers; its failures in the words of a service, and those of the way to it as well. */
const asked = <A, E extends Spoken, R>(call: Effect.Effect<A, E, R>, mistakes: ReadonlyArray<string>) =>
  call.pipe(
    Effect.timeoutOrElse({
      duration: answerLimit,
      orElse: () => Effect.fail(failed(`Nothing answered within ${answerLimit}. Try again.`)),
    }),
    Effect.mapError((error) =>
      mistakes.includes(error._tag) ? refused(error.message) : failed(error.message ?? error._tag)
    ),
  )

/** The services, which ask the actors of the cluster in context. */
export const sensingServices = Effect.gen(function* () {
  const directory = yield* Directory
  const router = yield* Router.client
  const environment = yield* Environment.client

  const calibrate = Effect.fnUntraced(function* (
    environmentId: string | undefined,
    room: "empty" | "occupied",
    seconds: number,
  ) {
    if (environmentId !== undefined) yield* directory.environment(environmentId)
    const routerIds = (yield* directory.routers)
      .filter((each) => environmentId === undefined || each.environmentId === environmentId)
      .map(({ routerId }) => routerId)
    const states = yield* Effect.forEach(routerIds, (routerId) => router(routerId).Describe(), fanOut)
    // One that has never sent may be switched on now; those that went silent do not come back by waiting.
    if (states.length > 0 && states.every(({ state }) => state === "lost")) return yield* RoutersSilent.of(routerIds)
    yield* Effect.forEach(routerIds, (routerId) => router(routerId).Calibrate({ room, seconds }), fanOut)
    return { routers: [...routerIds], room, seconds }
  })

  const acknowledge = Effect.fnUntraced(function* (alertId: string, environmentId: string | undefined, by: string) {
    const environments = environmentId === undefined ? yield* directory.environments : [
      yield* directory.environment(environmentId),
    ]
    for (const { environmentId } of environments) {
      const { acknowledged } = yield* environment(environmentId).Acknowledge({ alertId, by })
      if (acknowledged) return { alert_id: alertId, environment_id: environmentId }
    }
    return yield* refused(`There is no open alert "${alertId}".`)
  })

  return [
    defineService({
      domain: sensingDomain,
      name: "calibrate",
      text:
        "Learns what the channel is like while a room is empty, or while somebody sits, stands and walks about in it.",
      fields: {
        ...environmentField,
        room: { selector: { select: { options: ["empty", "occupied"] } }, description: "Empty without it." },
        duration_seconds: {
          selector: { number: { min: 1, max: 3600, unit_of_measurement: "seconds" } },
          description: "60 without it.",
        },
      },
      response: "optional",
      run: ({ data: { duration_seconds = 60, environment_id, room = "empty" } }) =>
        asked(calibrate(environment_id, room, duration_seconds), [
          "UnknownEnvironment",
          "UnknownRouter",
          "RoutersSilent",
        ]),
    }),
    defineService({
      domain: sensingDomain,
      name: "acknowledge_alert",
      text: "Somebody looks after an alert that is open.",
      fields: {
        alert_id: { required: true, selector: { text: {} }, description: "As the alert's entity has it." },
        ...environmentField,
      },
      response: "optional",
      run: ({ context, data: { alert_id, environment_id } }) =>
        asked(acknowledge(alert_id, environment_id, context.userId ?? "home"), [
          "UnknownEnvironment",
          "ServiceRefused",
        ]),
    }),
  ]
})
