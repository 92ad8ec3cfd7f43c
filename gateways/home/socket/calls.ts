/**
 * Commands that act on the home: service calls and events.
 */
import { Effect, Schema } from "effect"
import type { ServiceFailure } from "../../../protocols/domain/home-failure.ts"
import { eventTypeLengthMax, type JsonObject } from "../../../protocols/domain/home.ts"
import { contextJson } from "../../../protocols/home-api/home-json.ts"
import { HomeRuntime, type HomeUnavailable } from "../../../protocols/ports/home-runtime.ts"
import { HomeServices } from "../../../protocols/ports/home-services.ts"
import { command, jsonReply, type Refusal, refusal } from "./command.ts"
import { listOf } from "./entity-filter.ts"

const Data = Schema.Record(Schema.String, Schema.Json)
const Targets = Schema.optionalKey(Schema.NullOr(Schema.Union([Schema.String, Schema.Array(Schema.String)])))
const Target = Schema.Struct({
  entity_id: Targets,
  device_id: Targets,
  area_id: Targets,
  floor_id: Targets,
  label_id: Targets,
})

const isTemplate = (text: string): boolean => text.includes("{{") || text.includes("{%")

/** The fields of a target as lists. */
const targetData = (target: typeof Target.Type): Record<string, ReadonlyArray<string>> =>
  Object.fromEntries(Object.entries(target).map(([key, value]) => [key, listOf(value ?? undefined)]))

const responseTexts = {
  none: {
    key: "service_does_not_support_response",
    text: "An action which does not return responses can't be called with return_response=True",
  },
  only: {
    key: "service_lacks_response_request",
    text: "The action requires responses and must be called with return_response=True",
  },
} as const

/**
 * The refusal that a client gets for a failed call. An unavailable runtime stays a failure. If the service called another service that does
 * not exist, that is the first service's failure.
 */
const refusalOf = (
  failure: ServiceFailure | HomeUnavailable,
  asked: { readonly domain: string; readonly service: string },
): Refusal | HomeUnavailable => {
  switch (failure._tag) {
    case "ActorUnavailable":
    case "StoreUnavailable":
      return failure
    case "ServiceNotFound": {
      const { domain, service } = failure
      const isAsked = domain === asked.domain.toLowerCase() && service === asked.service.toLowerCase()
      if (!isAsked) {
        return refusal(
          "home_assistant_error",
          `Service ${asked.domain}.${asked.service} called service ${domain}.${service} which was not found.`,
        )
      }
      return refusal("not_found", failure.message, {
        domain: "homeassistant",
        key: "service_not_found",
        placeholders: { domain, service },
      })
    }
    case "InvalidServiceData":
      return refusal("invalid_format", failure.message)
    case "WrongResponseUse":
      return refusal("service_validation_error", `Validation error: ${responseTexts[failure.supports].text}`, {
        domain: "homeassistant",
        key: responseTexts[failure.supports].key,
        placeholders: { return_response: "return_response=True" },
      })
    case "ServiceRefused":
      return refusal("service_validation_error", `Validation error: ${failure.message}`, translationOf(failure))
    case "ServiceFailed":
      return refusal("home_assistant_error", failure.message, translationOf(failure))
    case "ServiceBroke":
      return refusal("unknown_error", failure.message)
  }
}

const translationOf = (
  { translationDomain, translationKey, translationPlaceholders }: Extract<
    ServiceFailure,
    { readonly _tag: "ServiceRefused" | "ServiceFailed" }
  >,
): Refusal["translation"] => ({
  domain: translationDomain,
  key: translationKey,
  placeholders: translationPlaceholders,
})

export const callCommands = [
  command(
    "call_service",
    {
      domain: Schema.String,
      service: Schema.String,
      service_data: Schema.optionalKey(Data),
      target: Schema.optionalKey(Target),
      return_response: Schema.optionalKey(Schema.Boolean),
    },
    ({ client, message: { domain, return_response = false, service, service_data = {}, target = {} } }) =>
      Effect.gen(function* () {
        const targets = targetData(target)
        if (Object.values(targets).flat().some(isTemplate)) {
          return yield* Effect.fail(refusal("invalid_format", "Templates are not supported in the target."))
        }
        const runtime = yield* HomeRuntime
        const context = yield* runtime.context(client.user.id)
        const data: JsonObject = { ...service_data, ...targets }
        const call = { domain, service, data, context, returnResponse: return_response }
        const response = yield* Effect.mapError(
          (yield* HomeServices).call(call),
          (failure) => refusalOf(failure, { domain, service }),
        )
        // The client receives the changes of the call before its answer.
        yield* runtime.settled
        return jsonReply({ context: contextJson(context), ...(return_response ? { response } : {}) })
      }),
  ),

  command("fire_event", {
    event_type: Schema.String,
    event_data: Schema.optionalKey(Data),
  }, ({ client, message: { event_data = {}, event_type } }) =>
    Effect.gen(function* () {
      if (event_type.length > eventTypeLengthMax) {
        return yield* Effect.fail(
          refusal("home_assistant_error", `The type of an event has at most ${eventTypeLengthMax} characters.`),
        )
      }
      const runtime = yield* HomeRuntime
      const context = yield* runtime.context(client.user.id)
      yield* runtime.fire({ eventType: event_type, data: event_data, origin: "LOCAL", context })
      return jsonReply({ context: contextJson(context) })
    }), ["event_data"]),
]
