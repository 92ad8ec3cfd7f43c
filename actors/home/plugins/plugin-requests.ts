/**
 * Performs the requests of a plugin's process through its capabilities.
 */
import { Effect, type Schema } from "effect"
import type { HomeContext, JsonObject } from "../../../protocols/domain/home.ts"
import { RuntimeError } from "../../../protocols/domain/plugin.ts"
import { contextJson, eventText, stateText } from "../../../protocols/home-api/home-json.ts"
import { HomeRegistries } from "../../../protocols/ports/home-registries.ts"
import type { HostRequest, PluginRequest } from "../../../protocols/messages/plugin-process.ts"
import { defineService, type Outcome, type Service } from "../services/service.ts"
import { resolveTarget } from "../services/target.ts"
import type { Capabilities } from "./plugin-capabilities.ts"
import type { CapabilityFailure } from "./owned-entities.ts"
import type { EventOutbox } from "./event-outbox.ts"

const parse = (text: string): Schema.Json => JSON.parse(text) as Schema.Json

interface RequestOptions {
  readonly capabilities: Capabilities
  readonly events: EventOutbox
  /** Contexts of the service calls that the plugin handles now. */
  readonly serving: Map<string, HomeContext>
  /** Has the plugin handle a call of its service. */
  readonly serve: (request: HostRequest & { readonly method: "serve" }) => Outcome
}

type RegisterService = Extract<PluginRequest, { readonly method: "services.register" }>

/** A service of the plugin, whose calls its process handles. */
const pluginService = (
  { capabilities, serve, serving }: RequestOptions,
  registries: HomeRegistries["Service"],
  { description, fields, name, response, target, title }: RegisterService,
): Service =>
  defineService({
    domain: capabilities.domain,
    name,
    fields,
    response,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { text: description }),
    ...(target === undefined ? {} : { target }),
    run: ({ context, data, returnResponse, target: named }) =>
      Effect.gen(function* () {
        const entityIds = yield* resolveTarget(named, capabilities.entityIds(), target?.domains ?? null).pipe(
          Effect.provideService(HomeRegistries, registries),
        )
        serving.set(context.id, context)
        return yield* serve({
          method: "serve",
          name,
          data: data as JsonObject,
          entityIds: [...entityIds],
          context: contextJson(context),
          returnResponse,
        }).pipe(Effect.ensuring(Effect.sync(() => serving.delete(context.id))))
      }),
  })

/** The plugin's subscriptions to events, by the numbers that it gave them. */
const makeSubscriptions = ({ capabilities, events }: RequestOptions) => {
  const { domain } = capabilities
  const unsubscribe = new Map<number, () => void>()
  return {
    listen: Effect.fnUntraced(function* (eventType: string, listener: number) {
      if (unsubscribe.has(listener)) return yield* new RuntimeError({ domain, message: "That listener is in use." })
      unsubscribe.set(
        listener,
        yield* capabilities.listen(eventType, (entry) => events.push(listener, eventText(entry))),
      )
    }),
    unlisten: (listener: number) =>
      Effect.sync(() => {
        unsubscribe.get(listener)?.()
        unsubscribe.delete(listener)
      }),
  }
}

/** How to perform the requests of a plugin. */
export const answerRequests = Effect.fnUntraced(function* (options: RequestOptions) {
  const registries = yield* HomeRegistries
  const { capabilities, serving } = options
  const { listen, unlisten } = makeSubscriptions(options)

  const contextOf = (id: string | null | undefined): HomeContext | undefined =>
    id === null || id === undefined ? undefined : serving.get(id)

  return (request: Exclude<PluginRequest, { readonly method: "log" }>): Effect.Effect<unknown, CapabilityFailure> => {
    switch (request.method) {
      case "states.get":
        return Effect.map(
          capabilities.get(request.entityId),
          (state) => state === null ? null : parse(stateText(state)),
        )
      case "states.all":
        return Effect.map(capabilities.all, (states) => states.map((state) => parse(stateText(state))))
      case "states.set":
        return capabilities.set(request.entityId, request, contextOf(request.contextId))
      case "states.remove":
        return capabilities.remove(request.entityId, contextOf(request.contextId))
      case "entities.register":
        return capabilities.registerEntity(request.entity)
      case "devices.register":
        return capabilities.registerDevice(request.device)
      case "services.register":
        return capabilities.registerService(pluginService(options, registries, request))
      case "services.unregister":
        return capabilities.unregisterService(request.name)
      case "services.call":
        return capabilities.call(request.domain, request.service, request.data, request.returnResponse)
      case "events.listen":
        return listen(request.eventType, request.listener)
      case "events.unlisten":
        return unlisten(request.listener)
      case "events.fire":
        return capabilities.fire(request.eventType, request.data)
    }
  }
})
