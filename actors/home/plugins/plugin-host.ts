/**
 * The host of all plugins: finds them, sets them up in the order of their dependencies, and ends them.
 *
 * Boundary: how one plugin lives is `life.ts`, what it may do its desk. There is one host in a cluster.
 *
 * Invariants:
 * 1. A plugin is set up after all that it depends on, and only if that has succeeded; plugins that do not wait for each other are set up at
 *    the same time.
 * 2. A plugin that cannot be loaded is known with the reason, and keeps no other one from being loaded.
 * 3. An entity whose plugin is not there any more is unavailable once all plugins have been tried.
 */
import { Effect, Result, Scope } from "effect"
import type { HomeContext, JsonObject } from "../../../protocols/domain/home.ts"
import {
  AlreadyLoaded,
  InvalidManifest,
  NotFound,
  permissionsOf,
  type PluginError,
  UnloadFailed,
} from "../../../protocols/domain/plugin.ts"
import { HomeRegistries } from "../../../protocols/ports/home-registries.ts"
import { HomeRuntime } from "../../../protocols/ports/home-runtime.ts"
import type { ServiceRegistry } from "../services/registry.ts"
import { builtInFolder, type BuiltIns, launchBuiltIn } from "./built-ins.ts"
import { makeDesk, type Owners } from "./plugin-capabilities.ts"
import type { FoundPlugin, LaunchedPlugin } from "./launched-plugin.ts"
import {
  componentsOf,
  type Known,
  loadedOf,
  manifestsOf,
  type PluginView,
  setupOrder,
  viewsOf,
  whyNot,
} from "./known-plugins.ts"
import { makeLife } from "./plugin-supervisor.ts"
import { findPlugins, type ManifestFailure } from "./manifest-files.ts"
import { launchWorker } from "./plugin-worker.ts"

interface HostOptions {
  /** The user's folder of plugins; null: there is none. */
  readonly folder: string | null
  readonly builtIns: BuiltIns
  /** Folders that no third party's plugin may have a part of. */
  readonly secret: ReadonlyArray<string>
}

export interface PluginHost {
  /** Sets up all plugins that are there; answers when each has succeeded or failed. */
  readonly start: Effect.Effect<void>
  /** Manifests of all that can be read, as clients are shown them. */
  readonly manifests: () => ReadonlyArray<JsonObject>
  readonly components: () => ReadonlyArray<string>
  readonly views: () => ReadonlyArray<PluginView>
  readonly load: (domain: string) => Effect.Effect<void, PluginError>
  readonly unload: (domain: string) => Effect.Effect<void, PluginError>
  /** Reads its files anew, ends it where it runs, and sets it up. */
  readonly reload: (domain: string) => Effect.Effect<void, PluginError>
  /** Has entities' plugins say anew how they are. */
  readonly update: (entityIds: ReadonlyArray<string>) => Effect.Effect<void>
}

/** A host whose plugins live in the scope in context. */
export const makePluginHost = Effect.fnUntraced(function* (
  { builtIns, folder, secret }: HostOptions,
  registry: ServiceRegistry,
) {
  const scope = yield* Effect.scope
  const context = yield* Effect.context<HomeRuntime | HomeRegistries>()
  const runtime = yield* HomeRuntime
  const registries = yield* HomeRegistries
  const owners: Owners = new Map()
  const known = new Map<string, Known>()
  const unreadable = new Map<string, ManifestFailure>()

  /** Runs a plugin, in this process or in a worker. */
  const launch = (domain: string) =>
    Effect.fnUntraced(function* (serving: Map<string, HomeContext>) {
      const { plugin } = known.get(domain)!
      const missing = whyNot(plugin.manifest, known)
      if (missing !== null) return yield* missing
      const permissions = permissionsOf(plugin.manifest)
      const desk = yield* makeDesk(domain, permissions, registry, owners, serving)
      const setup = plugin.builtIn ? builtIns.get(domain) : undefined
      if (setup === undefined) yield* Effect.logInfo(`plugin ${domain} may do what it asks for`, permissions)
      const launched: LaunchedPlugin = setup === undefined
        ? yield* launchWorker(plugin, desk, serving)
        : yield* launchBuiltIn(setup, desk, serving)
      return { desk, launched }
    })

  const tellLoaded = (domain: string) =>
    Effect.flatMap(
      runtime.context(null),
      (context) =>
        runtime.fire({ eventType: "component_loaded", data: { component: domain }, origin: "LOCAL", context }),
    )

  const remember = Effect.fnUntraced(function* (plugin: FoundPlugin) {
    const { domain } = plugin.manifest
    const life = known.get(domain)?.life ?? (yield* makeLife({
      domain,
      launch: (serving) => Effect.provide(launch(domain)(serving), context),
      loaded: tellLoaded(domain),
    }).pipe(Effect.provideService(Scope.Scope, scope)))
    known.set(domain, { plugin, life })
    unreadable.delete(domain)
  })

  /** Reads what plugins there are: those that come with the service first, for their domains are taken. */
  const discover = Effect.gen(function* () {
    const folders = [
      { path: builtInFolder, builtIn: true },
      ...(folder === null ? [] : [{ path: folder, builtIn: false }]),
    ]
    for (const each of folders) {
      const found = yield* findPlugins(each, secret).pipe(
        Effect.catch((failure) => Effect.as(Effect.logError(failure.message), new Map<string, never>())),
      )
      for (const [domain, read] of found) {
        if (Result.isFailure(read)) {
          unreadable.set(domain, read.failure)
          yield* Effect.logError(`plugin ${domain} cannot be loaded: ${read.failure.message}`)
        } else if (known.get(domain)?.plugin.builtIn === true && !each.builtIn) {
          const message = `${domain} is a plugin of the service itself: give yours another domain.`
          unreadable.set(domain, new InvalidManifest({ domain, message }))
          yield* Effect.logError(message)
        } else if (!each.builtIn || builtIns.has(domain)) yield* remember(read.success)
      }
    }
  })

  /** Entities of plugins that are not loaded say so. */
  const markOrphans = Effect.gen(function* () {
    const replica = yield* runtime.replica
    const loaded = (platform: string) => known.get(platform)?.life.status() === "loaded"
    for (const { entry: { entityId, platform } } of yield* registries.list("entity")) {
      const present = loaded(platform) ? null : replica.one(entityId)
      if (present === null || present.state === "unavailable") continue
      const attributes = { ...present.attributes, restored: true }
      const order = { state: "unavailable", attributes, forceUpdate: false, context: yield* runtime.context(null) }
      yield* Effect.ignore(runtime.write(entityId, order))
    }
  })

  const start = Effect.gen(function* () {
    yield* discover
    for (const { entry } of yield* registries.list("entity")) owners.set(entry.entityId, entry.platform)
    const { blocked, order } = setupOrder(known)
    const begun = new Map<string, Effect.Effect<void>>()
    for (const domain of [...order, ...blocked.keys()]) {
      const { life, plugin: { manifest } } = known.get(domain)!
      const waitsFor = [...manifest.dependencies ?? [], ...manifest.after_dependencies ?? []]
      // What comes earlier in the order is waited for; what is blocked waits for nobody, for it may be its own dependency.
      const earlier = waitsFor.flatMap((each) => begun.has(each) && !blocked.has(domain) ? [begun.get(each)!] : [])
      const before = Effect.all(earlier, { discard: true })
      begun.set(domain, yield* Effect.cached(Effect.andThen(before, Effect.ignore(life.load))))
    }
    yield* Effect.forEach(begun.values(), (each) => each, { concurrency: "unbounded", discard: true })
    yield* markOrphans
  }).pipe(Effect.catchCause((cause) => Effect.logError("plugins could not be started", cause)))

  const find = Effect.fnUntraced(function* (domain: string) {
    const unread = unreadable.get(domain)
    if (unread !== undefined) return yield* unread
    return known.get(domain) ?? (yield* NotFound.of(domain))
  })

  const checkUnloaded = (domain: string) => {
    const stuck = known.get(domain)?.life.status() === "failed_unload"
    const message = `${domain} could not be unloaded. Start the service anew.`
    return stuck ? Effect.fail(new UnloadFailed({ domain, message })) : Effect.void
  }

  const load: PluginHost["load"] = Effect.fnUntraced(function* (domain) {
    if (!known.has(domain)) yield* discover
    const { life, plugin } = yield* find(domain)
    if (life.status() === "loaded") {
      return yield* new AlreadyLoaded({
        domain,
        message: `${domain} is loaded already. Reload it to have it read anew.`,
      })
    }
    yield* checkUnloaded(domain)
    const first = setupOrder(known).blocked.has(domain) ? [] : plugin.manifest.dependencies ?? []
    for (const each of first) {
      if (known.has(each) && known.get(each)!.life.status() !== "loaded") yield* Effect.ignore(load(each))
    }
    yield* life.load
  })

  const unload: PluginHost["unload"] = Effect.fnUntraced(function* (domain) {
    yield* (yield* find(domain)).life.unload
  })

  const reload: PluginHost["reload"] = Effect.fnUntraced(function* (domain) {
    yield* checkUnloaded(domain)
    const running = known.get(domain)?.life
    if (running !== undefined && running.status() !== "not_loaded") yield* running.unload
    if (known.get(domain)?.plugin.builtIn === false) known.delete(domain)
    unreadable.delete(domain)
    yield* discover
    yield* load(domain)
  })

  return {
    start,
    manifests: () => manifestsOf(known),
    components: () => componentsOf(known),
    views: () => viewsOf(known, unreadable),
    load,
    unload,
    reload,
    update: (entityIds) =>
      Effect.forEach(loadedOf(known), ([, { life }]) => {
        const own = new Set(life.entityIds())
        const asked = entityIds.filter((entityId) => own.has(entityId))
        return asked.length === 0 ? Effect.void : life.update(asked)
      }, { concurrency: "unbounded", discard: true }),
  } satisfies PluginHost
})
