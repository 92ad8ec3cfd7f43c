/**
 * A home gateway on a real port, on the real actors, services and stores. The services `test.*` are added, which fail or answer as
 * their names indicate.
 */
import { Context, Deferred, Effect, Exit, Layer, Logger, Redacted, References, Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { helperServices } from "../../../actors/home/services/helpers.ts"
import { makeServiceRegistry } from "../../../actors/home/services/registry.ts"
import { defineService, failed, refused } from "../../../actors/home/services/service.ts"
import { makeStates } from "../../../actors/home/services/states.ts"
import { Escalations } from "../../../actors/runtime/supervision.ts"
import { layerHomeActors, layerHomeView } from "../../../deploy/composition/home.ts"
import { layerStores } from "../../../deploy/composition/service.ts"
import { HomeSite } from "../../../gateways/home/server/configuration.ts"
import { HomeAddress, homeGateway } from "../../../gateways/home/gateway.ts"
import { layerHomeTokens } from "../../../gateways/home/tokens.ts"
import { HomeHistory } from "../../../protocols/ports/home-history.ts"
import { HomePlugins } from "../../../protocols/ports/home-plugins.ts"
import { HomeRegistries } from "../../../protocols/ports/home-registries.ts"
import { HomeRuntime } from "../../../protocols/ports/home-runtime.ts"
import { HomeServices } from "../../../protocols/ports/home-services.ts"
import { HomeTokens } from "../../../protocols/ports/home-tokens.ts"
import { clusterLayer } from "../../harness/cluster.ts"
import { embeddedDatabase } from "../../harness/database.ts"

export const token = "a-token-of-the-settings"
export const manifest = { domain: "wavepose", name: "wavepose", version: "1.0.0" }

export interface HomeGateway {
  readonly url: string
  readonly ask: (method: string, path: string, options?: AskOptions) => Promise<Asked>
  /** Runs an effect with the ports of the gateway, or with its database. */
  readonly run: <A, E>(
    effect: Effect.Effect<A, E, HomeRuntime | HomeRegistries | HomeTokens | SqlClient.SqlClient>,
  ) => Promise<A>
  /** Lets the service `test.wait` go on. */
  readonly letGo: () => void
  /** Lets the next query of the past wait. */
  readonly holdHistory: () => { readonly reached: Promise<void>; readonly letGo: () => void }
  /** How often `test.count` and `test.wait` were run to their ends. */
  readonly counts: { count: number; wait: number }
  readonly logged: ReadonlyArray<string>
  readonly stop: () => Promise<void>
}

interface AskOptions {
  readonly body?: unknown
  /** Null: none. */
  readonly token?: string | null
  readonly headers?: Record<string, string>
}

export interface Asked {
  readonly status: number
  readonly type: string | null
  readonly text: string
  readonly headers: Headers
  // deno-lint-ignore no-explicit-any
  readonly json: any
}

const testServices = (
  counts: HomeGateway["counts"],
  gate: Deferred.Deferred<void>,
  replaced: (
    entityId: string,
    context: Parameters<HomeRuntime["Service"]["write"]>[1]["context"],
  ) => Effect.Effect<void>,
) => {
  const service = (name: string, run: Effect.Effect<{ [key: string]: string } | null, never>) =>
    defineService({ domain: "test", name, fields: {}, run: () => run })
  return [
    service(
      "count",
      Effect.sync(() => {
        counts.count += 1
        return null
      }),
    ),
    service(
      "wait",
      Effect.map(Deferred.await(gate), () => {
        counts.wait += 1
        return null
      }),
    ),
    defineService({
      domain: "test",
      name: "touch",
      fields: {},
      run: ({ context }) => Effect.as(replaced("sensor.touched", context), null),
    }),
    defineService({
      domain: "test",
      name: "answer",
      fields: {},
      response: "only",
      run: () => Effect.succeed({ answer: 42 }),
    }),
    defineService({
      domain: "test",
      name: "maybe_answer",
      fields: {},
      response: "optional",
      run: ({ context }) => Effect.as(replaced("sensor.maybe", context), { answer: 42 }),
    }),
    defineService({ domain: "test", name: "refuse", fields: {}, run: () => Effect.fail(refused("Not on Sundays")) }),
    defineService({ domain: "test", name: "fail", fields: {}, run: () => Effect.fail(failed("It is stuck")) }),
    defineService({
      domain: "test",
      name: "break",
      fields: {},
      run: () => Effect.die(new Error("the wheel came off")),
    }),
  ]
}

const layerServices = (counts: HomeGateway["counts"], gate: Deferred.Deferred<void>) =>
  Layer.effect(
    HomeServices,
    Effect.gen(function* () {
      const runtime = yield* HomeRuntime
      const registry = yield* makeServiceRegistry
      let touched = 0
      const touch: Parameters<typeof testServices>[2] = (entityId, context) =>
        Effect.suspend(() =>
          runtime.write(entityId, { state: String(++touched), attributes: {}, forceUpdate: false, context })
        ).pipe(Effect.asVoid, Effect.orDie)
      const services = [...(yield* helperServices(yield* makeStates)), ...testServices(counts, gate, touch)]
      yield* Effect.forEach(services, registry.register, { discard: true })
      return { all: Effect.sync(registry.describe), call: registry.call }
    }),
  )

/** The history of the database, whose next query waits if it is held. */
const heldHistory = () => {
  let next: { readonly reached: Deferred.Deferred<void>; readonly gate: Deferred.Deferred<void> } | null = null
  const pass = Effect.suspend(() => {
    const held = next
    next = null
    if (held === null) return Effect.void
    return Effect.andThen(Deferred.succeed(held.reached, undefined), Deferred.await(held.gate))
  })
  return {
    layer: Layer.effect(
      HomeHistory,
      Effect.map(
        HomeHistory,
        ({ period }) => HomeHistory.of({ period: (asked, bounds) => Effect.andThen(pass, period(asked, bounds)) }),
      ),
    ),
    hold: () => {
      const held = { reached: Deferred.makeUnsafe<void>(), gate: Deferred.makeUnsafe<void>() }
      next = held
      return {
        reached: Effect.runPromise(Deferred.await(held.reached)),
        letGo: () => void Deferred.doneUnsafe(held.gate, Exit.void),
      }
    },
  }
}

/** Starts a gateway with its own database. */
export const startHome = async (
  options: {
    readonly tokens?: ReadonlyArray<string>
    readonly development?: boolean
    readonly origins?: ReadonlyArray<string>
  } = {},
): Promise<HomeGateway> => {
  const database = await embeddedDatabase()
  const counts = { count: 0, wait: 0 }
  const gate = Deferred.makeUnsafe<void>()
  const history = heldHistory()
  const logged: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => void logged.push(`${logLevel} ${String(message)}`))
  const layer = homeGateway({ host: "127.0.0.1", port: 0, tls: null, origins: options.origins ?? null }).pipe(
    Layer.provide(layerServices(counts, gate)),
    Layer.provide(history.layer),
    Layer.provide(Layer.succeed(HomeSite, { locationName: "Test home", instanceId: "0123456789abcdef".repeat(2) })),
    Layer.provide(Layer.succeed(HomePlugins, {
      manifests: Effect.succeed([manifest]),
      components: Effect.succeed(["wavepose", "sensor.wavepose"]),
      states: Effect.succeed([]),
    })),
    Layer.provideMerge(layerHomeTokens({
      given: (options.tokens ?? [token]).map((each) => Redacted.make(each)),
      development: options.development ?? false,
    })),
    Layer.provideMerge(layerHomeView),
    Layer.provide(layerHomeActors.pipe(Layer.provide(Escalations.layer))),
    Layer.provideMerge(clusterLayer),
    Layer.provideMerge(layerStores(database.location)),
    Layer.provide([Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, "Info")]),
  )
  const scope = Scope.makeUnsafe()
  const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
  const { url } = Context.get(context, HomeAddress)
  return {
    url,
    counts,
    logged,
    letGo: () => void Deferred.doneUnsafe(gate, Exit.void),
    holdHistory: history.hold,
    run: (effect) => Effect.runPromise(Effect.provide(effect, context)),
    ask: async (method, path, { body, headers, token: shown = (options.tokens ?? [token])[0] ?? null } = {}) => {
      const response = await fetch(url + path, {
        method,
        headers: { ...(shown === null ? {} : { authorization: `Bearer ${shown}` }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      const type = response.headers.get("content-type")
      return {
        status: response.status,
        type,
        text,
        headers: response.headers,
        json: type === "application/json" ? JSON.parse(text) : undefined,
      }
    },
    stop: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      await database.stop()
    },
  }
}
