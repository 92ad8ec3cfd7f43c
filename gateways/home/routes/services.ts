/**
 * Handlers of services, and what came of a call.
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

const refusal = (failure: ServiceFailure): Answer => {
  switch (failure._tag) {
    case "ServiceNotFound":
    case "InvalidServiceData":
      return plainAnswer(400)
    case "WrongResponseUse":
      return messageAnswer(400, responseTexts[failure.supports])
    case "ServiceRefused":
      return messageAnswer(400, failure.message)
    case "ServiceFailed":
      return messageAnswer(500, failure.message)
    case "ServiceBroke":
      return plainAnswer(500)
  }
}

/** Runs a call; answers its outcome beside the states that it changed, as they became one after the other. */
const withChanges = Effect.fnUntraced(function* <A, E, R>(context: HomeContext, call: Effect.Effect<A, E, R>) {
  const runtime = yield* HomeRuntime
  const replica = yield* runtime.replica
  const changed: Array<EntityState> = []
  const hear = Effect.acquireRelease(
    Effect.sync(() =>
      replica.listen((entries) => {
        for (const entry of entries) {
          if (entry.kind === "changed" && entry.newState !== null && entry.context.id === context.id) {
            changed.push(entry.newState)
          }
        }
      })
    ),
    (leave) => Effect.sync(leave),
  )
  const outcome = yield* Effect.scoped(Effect.andThen(hear, Effect.tap(call, () => runtime.settled)))
  return { outcome, changed }
})

/** Answers what a failed call is told; the runtime's own failures go on. */
const orRefusal = <E extends { readonly _tag: string }, R>(
  answer: Effect.Effect<Answer, E, R>,
): Effect.Effect<Answer, Exclude<E, ServiceFailure>, R> =>
  Effect.catch(
    answer,
    (error): Effect.Effect<Answer, Exclude<E, ServiceFailure>> =>
      error._tag === "ActorUnavailable" || error._tag === "StoreUnavailable" || error._tag === "PayloadTooLarge"
        ? Effect.fail(error as Exclude<E, ServiceFailure>)
        : Effect.succeed(refusal(error as unknown as ServiceFailure)),
  )

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
    }).pipe(orRefusal)),
]
