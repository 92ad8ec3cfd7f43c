/**
 * Services of the home-automation runtime: the port through which edges list and call them.
 */
import { Context, type Effect } from "effect"
import type { HomeContext, JsonObject } from "../domain/home.ts"
import type { ServiceFailure } from "../domain/home-failure.ts"
import type { HomeUnavailable } from "./home-runtime.ts"

/** A service as clients are shown it: plain JSON under the names that they know. */
export interface ServiceDescription {
  readonly name?: string
  readonly description?: string
  readonly fields: JsonObject
  readonly target?: JsonObject
  /** Absent: it never answers with data. `optional` false: it always does. */
  readonly response?: { readonly optional: boolean }
  readonly description_placeholders?: JsonObject
}

/** By domain and by name. */
export type ServiceDescriptions = Readonly<Record<string, Readonly<Record<string, ServiceDescription>>>>

export interface ServiceCall {
  readonly domain: string
  readonly service: string
  /** With the fields of a target (`entity_id`, `device_id`, `area_id`, `floor_id`, `label_id`) merged in, as they were given. */
  readonly data: JsonObject
  readonly context: HomeContext
  readonly returnResponse: boolean
}

export class HomeServices extends Context.Service<HomeServices, {
  readonly all: Effect.Effect<ServiceDescriptions, HomeUnavailable>
  /**
   * Does what the service does, and waits until it is done; names in any case of letters. Checked in this order: that there is the service,
   * the use of its response, its data. Then the event `call_service` is fired, then the handler runs. Answers the response that was asked
   * for, else null. Whoever stops waiting does not end the service.
   */
  readonly call: (call: ServiceCall) => Effect.Effect<JsonObject | null, ServiceFailure | HomeUnavailable>
}>()("wavepose/protocols/HomeServices") {}
