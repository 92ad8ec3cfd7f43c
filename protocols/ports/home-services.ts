/**
 * The port through which edges list and call the services of the home-automation runtime.
 */
import { Context, type Effect, Schema } from "effect"
import type { HomeContext, JsonObject } from "../domain/home.ts"
import type { ServiceFailure } from "../domain/home-failure.ts"
import type { HomeUnavailable } from "./home-runtime.ts"

/** A service in the form of the API. */
const ServiceDescription = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  fields: Schema.Record(Schema.String, Schema.Json),
  target: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  /** Absent: it never returns a response. `optional` false: it always does. */
  response: Schema.optionalKey(Schema.Struct({ optional: Schema.Boolean })),
  description_placeholders: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
})
export type ServiceDescription = typeof ServiceDescription.Type

/** By domain and by name. */
export const ServiceDescriptions = Schema.Record(Schema.String, Schema.Record(Schema.String, ServiceDescription))
export type ServiceDescriptions = typeof ServiceDescriptions.Type

export interface ServiceCall {
  readonly domain: string
  readonly service: string
  /** Includes the fields of a target (`entity_id`, `device_id`, `area_id`, `floor_id`, `label_id`), as given. */
  readonly data: JsonObject
  readonly context: HomeContext
  readonly returnResponse: boolean
}

export class HomeServices extends Context.Service<HomeServices, {
  readonly all: Effect.Effect<ServiceDescriptions, HomeUnavailable>
  /**
   * Calls a service, and waits until it has ended; names are case-insensitive. The checks, in order: the service exists, its response is
   * used as it allows, its data are valid. Then the event `call_service` is fired, then the handler runs. Returns the response if it was
   * requested, else null. A caller that stops waiting does not end the service.
   */
  readonly call: (call: ServiceCall) => Effect.Effect<JsonObject | null, ServiceFailure | HomeUnavailable>
}>()("wavepose/protocols/HomeServices") {}
