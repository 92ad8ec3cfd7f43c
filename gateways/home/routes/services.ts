/**
 * Routes of services: list them, call one. Each failure of a service has its answer.
 */
import { Effect } from "effect"
import type { EntityState, HomeContext } from "../../../protocols/domain/home.ts"
import type { ServiceFailure } from "../../../protocols/domain/home-failure.ts"
import { statesText } from "../../../protocols/home-api/home-json.ts"
import { HomeRuntime } from "../../../protocols/ports/home-runtime.ts"
import { HomeServices } from "../../../protocols/ports/home-services.ts"
import type { Answer } from "../../http/answer.ts"
import { jsonAnswer, messageAnswer, plainAnswer } from "../server/answer.ts"
import { isObject, readJson } from "../server/json.ts"
import { route } from "../server/route.ts"

const responseTexts = {
  none: "Service does not support responses. Remove return_response from request.",
  only: "Service call requires responses but caller did not ask for responses. " +
    "Add ?return_response to query parameters.",
} as const

/** The answer to each failure of a service. A new failure does not compile without an answer here. */
const failureAnswers = {
  ServiceNotFound: () => Effect.succeed(plainAnswer(400)),
  InvalidServiceData: () => Effect.succeed(plainAnswer(400)),
  WrongResponseUse: ({ supports }) => Effect.succeed(messageAnswer(400, responseTexts[supports])),
  ServiceRefused: ({ message }) => Effect.succeed(messageAnswer(400, message)),
  ServiceFailed: ({ message }) => Effect.succeed(messageAnswer(500, message)),
  ServiceBroke: () => Effect.succeed(plainAnswer(500)),
} satisfies {
  readonly [Tag in ServiceFailure["_tag"]]: (
    failure: Extract<ServiceFailure, { readonly _tag: Tag }>,
  ) => Effect.Effect<Answer>
}

/** Runs a call. Returns its outcome and the states that it changed, in order. */
const withChanges = Effect.fnUntraced(function* <A, E, R>(context: HomeContext, call: Effect.Effect<A, E, R>) {
  const runtime = yield* HomeRuntime
  const replica = yield* runtime.replica
  const changed: Array<EntityState> = []
  const collect = Effect.acquireRelease(
    Effect.sync(() =>
      replica.listen((entries) => {
        for (const entry of entries) {
          if (entry.kind === "changed" && entry.newState !== null && entry.context.id === context.id) {
            changed.push(entry.newState)
          }
        }
      })
    ),
    (unsubscribe) => Effect.sync(unsubscribe),
  )
  const outcome = yield* Effect.scoped(Effect.andThen(collect, Effect.tap(call, () => runtime.settled)))
  return { outcome, changed }
})

export const serviceRoutes = [
  route("GET", "/api/services", () =>
    Effect.gen(function* () {
      const all = yield* (yield* HomeServices).all
      return jsonAnswer(JSON.stringify(Object.entries(all).map(([domain, services]) => ({ domain, services }))))
    })),

  route("POST", "/api/services/{domain}/{service}", ({ body, params, query, user }) =>
    Effect.gen(function* () {
      const text = yield* body
      const given = text === "" ? null : readJson(text)
      if (given === undefined) return messageAnswer(400, "Data should be valid JSON.")
      const data = given ?? {}
      if (!isObject(data)) return plainAnswer(400)
      const context = yield* (yield* HomeRuntime).context(user.id)
      const returnResponse = query.has("return_response")
      const { domain, service } = params as { readonly domain: string; readonly service: string }
      const { changed, outcome } = yield* withChanges(
        context,
        (yield* HomeServices).call({ domain, service, data, context, returnResponse }),
      )
      const states = statesText(changed)
      return jsonAnswer(
        returnResponse ? `{"changed_states":${states},"service_response":${JSON.stringify(outcome)}}` : states,
      )
    }).pipe(Effect.catchTags(failureAnswers))),
]
