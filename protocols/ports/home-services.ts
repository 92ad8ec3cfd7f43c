/**
 * The port through which edges list and call the services of the home-automation runtime.
 */
import { Context, type Effect } from "effect"
import type { HomeContext, JsonObject } from "../domain/home.ts"
import type { ServiceFailure } from "../domain/home-failure.ts"
import type { ServiceDescriptions } from "../domain/service-description.ts"
import type { HomeUnavailable } from "./home-runtime.ts"

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
