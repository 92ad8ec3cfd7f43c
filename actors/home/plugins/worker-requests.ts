/**
 * What a plugin in a worker asks of the home, done at its desk.
 */
import { Effect, type Schema } from "effect"
import type { HomeContext, JsonObject } from "../../../protocols/domain/home.ts"
import { RuntimeError } from "../../../protocols/domain/plugin.ts"
import { contextJson, eventText, stateText } from "../../../protocols/home-api/home-json.ts"
import { HomeRegistries } from "../../../protocols/ports/home-registries.ts"
import type { HostRequest, PluginRequest } from "../../../protocols/messages/plugin-worker.ts"
import { defineService, type Outcome } from "../services/service.ts"
import { resolveTarget } from "../services/target.ts"
import type { Desk, DeskFailure } from "./plugin-capabilities.ts"
import type { EventOutbox } from "./event-outbox.ts"

const logLengthMax = 4_096
const parse = (text: string): Schema.Json => JSON.parse(text) as Schema.Json

interface RequestOptions {
  readonly desk: Desk
  readonly events: EventOutbox
  /** Contexts of the calls that the plugin serves now. */
  readonly serving: Map<string, HomeContext>
  /** Has the plugin do what a call of its service says. */
  readonly serve: (request: HostRequest & { readonly method: "serve" }) => Outcome
}

/** Answers what a plugin asks. */
export const answerRequests = Effect.fnUntraced(function* ({ desk, events, serve, serving }: RequestOptions) {
  const registries = yield* HomeRegistries
  const { domain } = desk
  const listeners = new Map<number, () => void>()

  const registerService = (order: Extract<PluginRequest, { readonly method: "services.register" }>) => {
    const { description, fields, name, response, target, title } = order
    return desk.registerService(defineService({
      domain,
      name,
      fields,
      response,
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { text: description }),
      ...(target === undefined ? {} : { target }),
      run: ({ context, data, returnResponse, target: aim }) =>
        Effect.gen(function* () {
          const entityIds = yield* resolveTarget(aim, desk.entityIds(), target?.domains ?? null).pipe(
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
    }))
  }

  const listen = Effect.fnUntraced(function* (eventType: string, listener: number) {
    if (listeners.has(listener)) return yield* new RuntimeError({ domain, message: "That listener is in use." })
    listeners.set(listener, yield* desk.listen(eventType, (entry) => events.push(listener, eventText(entry))))
  })

  const contextOf = (id: string | null | undefined): HomeContext | undefined =>
    id === null || id === undefined ? undefined : serving.get(id)

  const act = (request: PluginRequest): Effect.Effect<unknown, DeskFailure> => {
    switch (request.method) {
      case "states.get":
        return Effect.map(desk.get(request.entityId), (state) => state === null ? null : parse(stateText(state)))
      case "states.all":
        return Effect.map(desk.all, (states) => states.map((state) => parse(stateText(state))))
      case "states.set":
        return desk.set(request.entityId, request, contextOf(request.contextId))
      case "states.remove":
        return desk.remove(request.entityId, contextOf(request.contextId))
      case "entities.register":
        return desk.registerEntity(request.entity)
      case "devices.register":
        return desk.registerDevice(request.device)
      case "services.register":
        return registerService(request)
      case "services.unregister":
        return desk.unregisterService(request.name)
      case "services.call":
        return desk.call(request.domain, request.service, request.data, request.returnResponse)
      case "events.listen":
        return listen(request.eventType, request.listener)
      case "events.unlisten":
        return Effect.sync(() => {
          listeners.get(request.listener)?.()
          listeners.delete(request.listener)
        })
      case "events.fire":
        return desk.fire(request.eventType, request.data)
      case "log": {
        const message = `${domain}: ${request.message.slice(0, logLengthMax)}`
        const log = { debug: Effect.logDebug, info: Effect.logInfo, warn: Effect.logWarning, error: Effect.logError }
        return log[request.level](message)
      }
    }
  }
  return act
})
