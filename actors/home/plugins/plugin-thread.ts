/**
 * The thread of a plugin: loads the plugin's module, gives it the home of `api.ts`, and exchanges messages with the host.
 *
 * Boundary: a plugin can bypass this file; the process's permissions, its budget and the host's checks hold it. `deny-threads.ts` denies
 * what Deno has no permission for.
 */
import { parentPort } from "node:worker_threads"
import { denyThreads } from "./deny-threads.ts"
import type { Context, Home, HomeEvent, JsonObject, Plugin, ServiceCall } from "./api.ts"
import type { FromPlugin, HostRequest, PluginRequest, ToPlugin } from "../../../protocols/messages/plugin-process.ts"

const post = (message: FromPlugin): void => parentPort!.postMessage(JSON.stringify(message))

const waiting = new Map<
  number,
  { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }
>()
const servers = new Map<string, (call: ServiceCall) => unknown>()
const listeners = new Map<number, (event: HomeEvent, dropped: number) => unknown>()
let updates: ((entityIds: ReadonlyArray<string>) => unknown) | null = null
let plugin: Plugin | null = null
let count = 0

const ask = (request: PluginRequest): Promise<unknown> =>
  new Promise((resolve, reject) => {
    count += 1
    waiting.set(count, { resolve, reject })
    post({ kind: "ask", id: count, request })
  })

const named = (name: string, message: string): Error => Object.assign(new Error(message), { name })
const textOf = (value: unknown): string => typeof value === "string" ? value : inspect(value)
const inspect = (value: unknown): string => {
  try {
    return value instanceof Error ? value.stack ?? value.message : JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}
const contextIdOf = (context: Context | undefined): string | null => context?.id ?? null

const log: Home["log"] = (level, message) => void ask({ method: "log", level, message }).catch(() => undefined)

const homeOf = (domain: string): Home => ({
  domain,
  states: {
    get: (entityId) => ask({ method: "states.get", entityId }) as ReturnType<Home["states"]["get"]>,
    all: () => ask({ method: "states.all" }) as ReturnType<Home["states"]["all"]>,
    set: async (entityId, state, attributes = {}, { context, forceUpdate = false } = {}) => {
      const contextId = contextIdOf(context)
      await ask({ method: "states.set", entityId, state: String(state), attributes, forceUpdate, contextId })
    },
    remove: (entityId, { context } = {}) =>
      ask({ method: "states.remove", entityId, contextId: contextIdOf(context) }) as Promise<boolean>,
  },
  registerEntity: async (entity) => void await ask({ method: "entities.register", entity }),
  registerDevice: async (device) => void await ask({ method: "devices.register", device }),
  services: {
    register: async ({ fields = {}, response = "none", target, ...definition }, handler) => {
      servers.set(definition.name, handler)
      const aim = target === undefined
        ? {}
        : { target: { required: target.required ?? false, domains: [...target.domains ?? []] } }
      await ask({ method: "services.register", ...definition, fields, response, ...aim })
    },
    unregister: async (name) => {
      await ask({ method: "services.unregister", name })
      servers.delete(name)
    },
    call: (domain, service, data = {}, { returnResponse = false } = {}) =>
      ask({ method: "services.call", domain, service, data, returnResponse }) as Promise<JsonObject | null>,
  },
  events: {
    on: async (eventType, handler) => {
      count += 1
      const listener = count
      listeners.set(listener, handler)
      await ask({ method: "events.listen", eventType, listener })
      return async () => {
        listeners.delete(listener)
        await ask({ method: "events.unlisten", listener })
      }
    },
    fire: async (eventType, data = {}) => void await ask({ method: "events.fire", eventType, data }),
  },
  onUpdate: (handler) => void (updates = handler),
  log,
})

const perform = async (request: HostRequest): Promise<unknown> => {
  switch (request.method) {
    case "setup": {
      const loaded = await import(request.module) as Partial<Plugin> & { readonly default?: Partial<Plugin> }
      const { setup, unload } = loaded.setup === undefined ? loaded.default ?? {} : loaded
      if (setup === undefined) throw named("TypeError", "The module exports no function setup.")
      plugin = unload === undefined ? { setup } : { setup, unload }
      return await plugin.setup(homeOf(request.domain))
    }
    case "unload":
      return await plugin?.unload?.() ?? true
    case "serve": {
      const server = servers.get(request.name)
      if (server === undefined) throw named("RuntimeError", `There is no handler of the service ${request.name}.`)
      const { context, data, entityIds, returnResponse } = request
      return await server({ data: data as JsonObject, entity_ids: entityIds, context, return_response: returnResponse })
    }
    case "update":
      return await updates?.(request.entityIds)
  }
}

/** A value as JSON; undefined becomes null. */
const plain = (value: unknown) => value === undefined ? null : JSON.parse(JSON.stringify(value))

const answer = async (id: number, request: HostRequest): Promise<void> => {
  try {
    const value = await perform(request)
    post({ kind: "done", id, value: plain(value) })
  } catch (thrown) {
    const error = thrown instanceof Error
      ? { name: thrown.name, message: thrown.message }
      : { name: "Error", message: String(thrown) }
    post({ kind: "threw", id, error })
  }
}

let handling = Promise.resolve()
/** Handles one event after the other, in order. */
const handle = (listener: number, event: string, dropped: number): void => {
  handling = handling.then(() => listeners.get(listener)?.(JSON.parse(event) as HomeEvent, dropped)).then(
    () => undefined,
    (error) => log("error", `a handler of events failed: ${textOf(error)}`),
  ).finally(() => post({ kind: "handled" }))
}

const receive = (data: ToPlugin): void => {
  switch (data.kind) {
    case "ask":
      return void answer(data.id, data.request)
    case "done":
      waiting.get(data.id)?.resolve(data.value)
      return void waiting.delete(data.id)
    case "threw":
      waiting.get(data.id)?.reject(named(data.error.name, data.error.message))
      return void waiting.delete(data.id)
    case "event":
      return handle(data.listener, data.event, data.dropped)
    case "ping":
      return post({ kind: "pong", count: data.count })
  }
}
parentPort!.on("message", (json: string) => receive(JSON.parse(json) as ToPlugin))

// Output of a plugin is logged by the host.
const levels = { debug: "debug", log: "info", info: "info", warn: "warn", error: "error" } as const
for (const [method, level] of Object.entries(levels)) {
  const print = (...values: ReadonlyArray<unknown>) => log(level, values.map(textOf).join(" "))
  Object.assign(globalThis.console, { [method]: print })
}

denyThreads()
// The main thread sends what the host has sent once this arrives.
post({ kind: "pong", count: 0 })
