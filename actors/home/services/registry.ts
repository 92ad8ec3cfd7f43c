/**
 * The registry of services, and how a call is performed.
 *
 * Boundary: there is one in the cluster (`actors/home/host/home-host-entity.ts`); edges reach it through the port `HomeServices`.
 *
 * Invariants:
 * 1. The order of a call: the service exists; its response is used as it allows; its data are valid; `call_service` is fired; it runs. A
 *    call that fails before `call_service` has no effect.
 * 2. A service that has started ends by itself: neither a caller that goes away nor a new registration interrupts it.
 * 3. A domain is listed while it has a service. Every change is published (`service_registered`, `service_removed`).
 */
import { Cause, Effect, Fiber, Result } from "effect"
import {
  ServiceBroke,
  type ServiceFailure,
  ServiceNotFound,
  WrongResponseUse,
} from "../../../protocols/domain/home-failure.ts"
import type { JsonObject } from "../../../protocols/domain/home.ts"
import { HomeRuntime, type HomeUnavailable } from "../../../protocols/ports/home-runtime.ts"
import type { ServiceDescriptions } from "../../../protocols/domain/service-description.ts"
import type { ServiceCall } from "../../../protocols/ports/home-services.ts"
import { failed, type ResponseUse, type Service } from "./service.ts"

export interface ServiceRegistry {
  readonly describe: () => ServiceDescriptions
  readonly has: (domain: string, service: string) => boolean
  /** Registers a service in place of one of the same name. */
  readonly register: (service: Service) => Effect.Effect<void, HomeUnavailable>
  /** Has no effect if the service is not registered, or was replaced. */
  readonly unregister: (service: Service) => Effect.Effect<void, HomeUnavailable>
  readonly call: (call: ServiceCall) => Effect.Effect<JsonObject | null, ServiceFailure | HomeUnavailable>
}

/** Services that run at a time; further calls are rejected. */
const runningMax = 1024

const wrongUse = (response: ResponseUse, returnResponse: boolean): WrongResponseUse | null => {
  if (response === "none" && returnResponse) {
    return new WrongResponseUse({
      supports: "none",
      message: "Service does not support responses. Remove return_response from request.",
    })
  }
  return response === "only" && !returnResponse
    ? new WrongResponseUse({
      supports: "only",
      message:
        "Service call requires responses but caller did not ask for responses. Add ?return_response to query parameters.",
    })
    : null
}

const ofCall: ReadonlySet<string> = new Set(["ServiceNotFound", "WrongResponseUse"])

/**
 * The failure of a service. An exception is reported to the caller and does not affect the registry. If the service called another one
 * wrongly, that is the service's failure, not a mistake of its caller.
 */
const asFailure = (cause: Cause.Cause<ServiceFailure | HomeUnavailable>) => {
  const found = Cause.findError(cause)
  if (Result.isSuccess(found)) {
    const error = found.success
    return Effect.fail(ofCall.has(error._tag) ? failed(error.message) : error)
  }
  const defect = Cause.squash(cause)
  return Effect.fail(new ServiceBroke({ message: defect instanceof Error ? defect.message : String(defect) }))
}

/** A registry whose services run in the scope in context. */
export const makeServiceRegistry = Effect.gen(function* () {
  const runtime = yield* HomeRuntime
  const scope = yield* Effect.scope
  const domains = new Map<string, Map<string, Service>>()
  let running = 0

  const publish = Effect.fnUntraced(function* (eventType: string, { domain, name }: Service) {
    const context = yield* runtime.context(null)
    yield* runtime.fire({ eventType, data: { domain, service: name }, origin: "LOCAL", context })
  })

  const register: ServiceRegistry["register"] = Effect.fnUntraced(function* (service) {
    const services = domains.get(service.domain) ?? new Map<string, Service>()
    domains.set(service.domain, services.set(service.name, service))
    yield* publish("service_registered", service)
  })

  const unregister: ServiceRegistry["unregister"] = Effect.fnUntraced(function* (service) {
    const services = domains.get(service.domain)
    if (services?.get(service.name) !== service) return
    services.delete(service.name)
    if (services.size === 0) domains.delete(service.domain)
    yield* publish("service_removed", service)
  })

  const run = Effect.fnUntraced(function* (service: Service, { context, data, returnResponse }: ServiceCall) {
    const work = yield* service.prepare(data, { context, returnResponse })
    if (running >= runningMax) {
      return yield* new ServiceBroke({ message: `${runningMax} services run already. Try again.` })
    }
    const { domain, name } = service
    running += 1
    const whole = runtime.fire({
      eventType: "call_service",
      data: { domain, service: name, service_data: data },
      origin: "LOCAL",
      context,
    }).pipe(
      Effect.andThen(work),
      Effect.catchCause(asFailure),
      Effect.ensuring(Effect.sync(() => void (running -= 1))),
    )
    return yield* Fiber.join(yield* Effect.forkIn(whole, scope))
  })

  return {
    describe: () =>
      Object.fromEntries([...domains].map(([domain, services]) => [
        domain,
        Object.fromEntries([...services].map(([name, { description }]) => [name, description])),
      ])),
    has: (domain, service) => domains.get(domain)?.has(service) === true,
    register,
    unregister,
    call: Effect.fnUntraced(function* (call) {
      const domain = call.domain.toLowerCase()
      const name = call.service.toLowerCase()
      const service = domains.get(domain)?.get(name)
      if (service === undefined) return yield* ServiceNotFound.of(domain, name)
      const misuse = wrongUse(service.response, call.returnResponse)
      if (misuse !== null) return yield* misuse
      const response = yield* run(service, call)
      return call.returnResponse ? response ?? {} : null
    }),
  } satisfies ServiceRegistry
})
