/**
 * The HomeHost actor: runs the services and the plugins of the home on one node of the cluster.
 *
 * It runs on a node of role `home` as long as there is one, because a singleton wakes it. When its node fails it starts on another one: the
 * built-in services at once, the plugins as they are set up.
 *
 * Invariants:
 * 1. The built-in services are registered before the first message is answered.
 * 2. A call of an unknown service waits for the plugins' first setup, at most `firstSetupTimeout`: a plugin may register it.
 */
import { Deferred, Effect, Layer, Schedule } from "effect"
import { Singleton } from "effect/cluster"
import { HomeHost, homeHostId } from "../../../protocols/messages/home-host.ts"
import { HomeRuntime } from "../../../protocols/ports/home-runtime.ts"
import type { ServiceCall } from "../../../protocols/ports/home-services.ts"
import { homeGroup } from "../../../protocols/messages/shard-groups.ts"
import { entityOptions, supervise } from "../../runtime/supervision.ts"
import type { BuiltIns } from "../plugins/built-ins.ts"
import type { ProcessSettings } from "../plugins/plugin-channel.ts"
import { coreDomains } from "../../../protocols/domain/plugin.ts"
import { makePluginHost } from "../plugins/plugin-host.ts"
import { generalServices } from "../services/general.ts"
import { applyHelperFile, type HelperFile } from "../services/helper-entities.ts"
import { helperServices } from "../services/helpers.ts"
import { pluginServices } from "../plugins/plugin-services.ts"
import { makeServiceRegistry } from "../services/registry.ts"
import { makeStates } from "../services/states.ts"

/** Longest wait of a call for the first setup of all plugins. */
const firstSetupTimeout = "10 seconds"
/** Less than the time after which an idle actor is stopped. */
const wakeEvery = "15 seconds"

interface HomeHostOptions {
  /** The user's folder of plugins; null: none. */
  readonly pluginFolder: string | null
  /** Folders that no third party's plugin may access. */
  readonly secret: ReadonlyArray<string>
  readonly processes: ProcessSettings
  /** The helpers of the configuration file. */
  readonly helpers: HelperFile
}

const build = <R>(options: HomeHostOptions, makeBuiltIns: Effect.Effect<BuiltIns, never, R>) =>
  Effect.gen(function* () {
    const runtime = yield* HomeRuntime
    const registry = yield* makeServiceRegistry
    const states = yield* makeStates
    const host = yield* makePluginHost(
      {
        folder: options.pluginFolder,
        secret: options.secret,
        processes: options.processes,
        builtIns: yield* makeBuiltIns,
      },
      registry,
    )
    const services = [
      ...(yield* generalServices(registry, states, (entityIds) => host.update(entityIds))),
      ...(yield* helperServices(states)),
      ...pluginServices(host),
    ]
    yield* Effect.forEach(services, registry.register, { discard: true, concurrency: 16 })
    const started = yield* Deferred.make<void>()
    yield* applyHelperFile(states, options.helpers, yield* runtime.context(null)).pipe(
      Effect.catchCause((cause) => Effect.logError("the helpers could not be created", cause)),
      Effect.andThen(host.start),
      Effect.ensuring(Deferred.succeed(started, undefined)),
      Effect.forkScoped,
    )
    yield* Effect.logInfo("home host started on this node")

    const call = Effect.fnUntraced(function* (order: ServiceCall) {
      if (!registry.has(order.domain.toLowerCase(), order.service.toLowerCase())) {
        yield* Effect.timeoutOption(Deferred.await(started), firstSetupTimeout)
      }
      return yield* registry.call(order)
    })
    return HomeHost.of({
      Services: () => Effect.sync(() => registry.describe()),
      CallService: ({ payload }) => call(payload),
      Plugins: () =>
        Effect.sync(() => ({
          manifests: host.manifests(),
          components: [...coreDomains, ...host.components()],
          plugins: host.views(),
        })),
      ManagePlugin: ({ payload: { action, domain } }) => host[action](domain),
    })
  })

/** Keeps the actor running, on whichever node. */
const layerWaker = Singleton.make(
  "home-host-waker",
  Effect.gen(function* () {
    const host = (yield* HomeHost.client)(homeHostId)
    yield* host.Plugins().pipe(
      Effect.timeout(wakeEvery),
      Effect.catchCause((cause) => Effect.logDebug("the home host does not answer", cause)),
      Effect.repeat(Schedule.spaced(wakeEvery)),
    )
  }),
  { shardGroup: homeGroup(homeHostId) },
)

/** The HomeHost actor, on the node that owns its shard. `makeBuiltIns` makes the setups of the built-in plugins. */
export const layerHomeHost = <R>(options: HomeHostOptions, makeBuiltIns: Effect.Effect<BuiltIns, never, R>) =>
  HomeHost.toLayer(
    supervise(HomeHost, build(options, makeBuiltIns), {
      concurrent: ["Services", "CallService", "Plugins", "ManagePlugin"],
    }),
    entityOptions,
  ).pipe(Layer.merge(layerWaker))
