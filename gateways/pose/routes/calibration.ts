/**
 * Handlers of the group Calibration.
 */
import { Effect } from "effect"
import { calibrate, calibrationStatus, type RouterCalibration } from "../../../protocols/pose-api/calibration.ts"
import {
  type ActorUnavailable,
  type AnswerTimeout,
  type StoreUnavailable,
  type UnknownRouter,
} from "../../../protocols/domain/failure.ts"
import { ResourceNotFound } from "../../../protocols/pose-api/edge-failures.ts"
import { Directory } from "../../../protocols/ports/directory.ts"
import { Router, routersToCalibrate } from "../../../protocols/messages/router.ts"
import { ask } from "../../../protocols/messages/call-actor.ts"
import { route } from "../server/route.ts"

type RouterClient = ReturnType<Effect.Success<typeof Router.client>>

const fanOut = { concurrency: 8 } as const
const durationSecondsDefault = 60

/** The routers of one environment, or of all environments. */
const routersOf = Effect.fnUntraced(function* (environmentId: string | undefined) {
  const directory = yield* Directory
  if (environmentId !== undefined) yield* directory.environment(environmentId)
  const routers = yield* directory.routers
  return routers.filter((router) => environmentId === undefined || router.environmentId === environmentId)
})

type AskFailure = ActorUnavailable | AnswerTimeout | StoreUnavailable | UnknownRouter

/** Asks these routers. A router that was removed in the meantime is left out. */
const askRouters = Effect.fnUntraced(function* <A, R>(
  routerIds: ReadonlyArray<string>,
  question: (router: RouterClient) => Effect.Effect<A, AskFailure, R>,
) {
  const client = yield* Router.client
  const answers = yield* Effect.forEach(
    routerIds,
    (routerId) =>
      question(client(routerId)).pipe(
        Effect.map((answer) => [answer]),
        Effect.catchTag("UnknownRouter", () => Effect.succeed([])),
      ),
    fanOut,
  )
  return answers.flat()
})

const statusOf = Effect.fnUntraced(function* (environmentId: string | undefined) {
  const routerIds = (yield* routersOf(environmentId)).map(({ routerId }) => routerId)
  const routers = yield* askRouters(routerIds, (router) => ask("A router", router.Describe()))
  return routers.map(({ calibration, environmentId, routerId, state }): RouterCalibration => ({
    routerId,
    environmentId,
    state,
    ...calibration,
  }))
})

const nothingToCalibrate = (environmentId: string | undefined) =>
  new ResourceNotFound({
    resource: "router",
    message: `Calibration is not possible: no router is enrolled${
      environmentId === undefined ? "" : ` in environment "${environmentId}"`
    }. Enrol a router first.`,
  })

export const calibrationRoutes = [
  route(calibrationStatus, ({ query }) => statusOf(query.environment_id)),

  route(calibrate, ({ body }) =>
    Effect.gen(function* () {
      const routers = yield* statusOf(body.environment_id)
      if (routers.length === 0) return yield* nothingToCalibrate(body.environment_id)
      const able = yield* routersToCalibrate(routers)
      const order = { room: body.room ?? "empty", seconds: body.duration_seconds ?? durationSecondsDefault }
      yield* askRouters(able, (router) => ask("A router", router.Calibrate(order)))
      return yield* statusOf(body.environment_id)
    })),
]
