/**
 * The host of all plugins: finds them, sets them up in the order of their dependencies, and ends them. There is one in a cluster.
 *
 * Boundary: `plugin-supervisor.ts` supervises one plugin, `plugin-capabilities.ts` performs and checks what it does in the home.
 *
 * Invariants:
 * 1. A plugin is set up after all its dependencies, and only if they succeeded; independent plugins are set up concurrently.
 * 2. A plugin that cannot be loaded is listed with the reason, and does not prevent others from being loaded.
 * 3. An entity whose plugin no longer exists is unavailable once all plugins have been tried.
 */
import { Effect, Result, Scope } from "effect"
import { SecureRandom } from "effect/crypto"
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
import { makeCapabilities } from "./plugin-capabilities.ts"
import { type Owners, unavailableOf } from "./owned-entities.ts"
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
import type { FirstSizes } from "./disk-use.ts"
import { findPlugins, type ManifestFailure } from "./manifest-files.ts"
import type { ProcessSettings } from "./plugin-channel.ts"
import { launchProcess } from "./plugin-process.ts"

interface HostOptions {
  /** The user's folder of plugins; null: none. */
  readonly folder: string | null
  readonly builtIns: BuiltIns
  /** Folders that no third party's plugin may access. */
  readonly secret: ReadonlyArray<string>
  readonly processes: ProcessSettings
}

export interface PluginHost {
  /** Sets up all plugins. Returns when each has succeeded or failed. */
  readonly start: Effect.Effect<void>
  /** The readable manifests, in the form of the API. */
  readonly manifests: () => ReadonlyArray<JsonObject>
  readonly components: () => ReadonlyArray<string>
  readonly views: () => ReadonlyArray<PluginView>
  readonly load: (domain: string) => Effect.Effect<void, PluginError>
  readonly unload: (domain: string) => Effect.Effect<void, PluginError>
  /** Reads the plugin's files again, unloads it if it runs, and sets it up. */
  readonly reload: (domain: string) => Effect.Effect<void, PluginError>
  /** Asks the plugins of entities to update their states. */
  readonly update: (entityIds: ReadonlyArray<string>) => Effect.Effect<void>
}

/** The parts that plugins share. */
interface HostParts {
  readonly options: HostOptions
  readonly registry: ServiceRegistry
  readonly runtime: HomeRuntime["Service"]
  readonly registries: HomeRegistries["Service"]
  readonly random: SecureRandom.SecureRandom["Service"]
  /** Plugins end with it. */
  readonly scope: Scope.Scope
}

class LocalPluginHost implements PluginHost {
  readonly #parts: HostParts
  readonly #owners: Owners = new Map()
  readonly #known = new Map<string, Known>()
  readonly #unreadable = new Map<string, ManifestFailure>()
  /** By plugin. An operator's load or reload begins anew. */
  readonly #firstSizes = new Map<string, FirstSizes>()

  constructor(parts: HostParts) {
    this.#parts = parts
  }

  readonly start = Effect.suspend(() => this.#setUpAll).pipe(
    Effect.catchCause((cause) => Effect.logError("plugins could not be started", cause)),
  )

  manifests(): ReadonlyArray<JsonObject> {
    return manifestsOf(this.#known)
  }

  components(): ReadonlyArray<string> {
    return componentsOf(this.#known)
  }

  views(): ReadonlyArray<PluginView> {
    return viewsOf(this.#known, this.#unreadable)
  }

  load(domain: string): Effect.Effect<void, PluginError> {
    return Effect.gen({ self: this }, function* () {
      if (!this.#known.has(domain)) yield* this.#discover()
      const { life, plugin } = yield* this.#find(domain)
      if (life.status() === "loaded") {
        const message = `${domain} is loaded already. Reload it to read its files again.`
        return yield* new AlreadyLoaded({ domain, message })
      }
      yield* this.#checkUnloaded(domain)
      this.#firstSizes.delete(domain)
      const first = setupOrder(this.#known).blocked.has(domain) ? [] : plugin.manifest.dependencies ?? []
      for (const each of first) {
        if (this.#known.has(each) && this.#known.get(each)!.life.status() !== "loaded") {
          yield* Effect.ignore(this.load(each))
        }
      }
      yield* life.load
    })
  }

  unload(domain: string): Effect.Effect<void, PluginError> {
    return Effect.flatMap(this.#find(domain), ({ life }): Effect.Effect<void, PluginError> => life.unload)
  }

  reload(domain: string): Effect.Effect<void, PluginError> {
    return Effect.gen({ self: this }, function* () {
      yield* this.#checkUnloaded(domain)
      const running = this.#known.get(domain)?.life
      if (running !== undefined && running.status() !== "not_loaded") yield* running.unload
      if (this.#known.get(domain)?.plugin.builtIn === false) this.#known.delete(domain)
      this.#unreadable.delete(domain)
      yield* this.#discover()
      yield* this.load(domain)
    })
  }

  update(entityIds: ReadonlyArray<string>): Effect.Effect<void> {
    return Effect.suspend(() =>
      Effect.forEach(loadedOf(this.#known), ([, { life }]) => {
        const own = new Set(life.entityIds())
        const affected = entityIds.filter((entityId) => own.has(entityId))
        return affected.length === 0 ? Effect.void : life.update(affected)
      }, { concurrency: "unbounded", discard: true })
    )
  }

  /** Runs a plugin, in this process or its own, until the scope in context closes. */
  #launch(domain: string, serving: Map<string, HomeContext>) {
    const { options: { builtIns, processes }, random, registries, registry, runtime } = this.#parts
    return Effect.gen({ self: this }, function* () {
      const { plugin } = this.#known.get(domain)!
      const missing = whyNot(plugin.manifest, this.#known)
      if (missing !== null) return yield* missing
      const permissions = permissionsOf(plugin.manifest)
      const capabilities = yield* makeCapabilities(domain, permissions, registry, this.#owners, serving)
      const setup = plugin.builtIn ? builtIns.get(domain) : undefined
      if (setup === undefined) {
        yield* Effect.logInfo(`plugin permissions domain=${domain} granted=${JSON.stringify(permissions)}`)
      }
      const launched: LaunchedPlugin = setup === undefined
        ? yield* launchProcess(plugin, capabilities, serving, { ...processes, firstSizes: this.#firstSizesOf(domain) })
        : yield* launchBuiltIn(setup, capabilities, serving)
      return { capabilities, launched }
    }).pipe(
      // One by one: the context of the host has a scope too, and the plugin must end with its own.
      Effect.provideService(HomeRuntime, runtime),
      Effect.provideService(HomeRegistries, registries),
      Effect.provideService(SecureRandom.SecureRandom, random),
    )
  }

  #firstSizesOf(domain: string): FirstSizes {
    const sizes = this.#firstSizes.get(domain) ?? new Map()
    this.#firstSizes.set(domain, sizes)
    return sizes
  }

  #publishLoaded(domain: string) {
    const { runtime } = this.#parts
    const event = { eventType: "component_loaded", data: { component: domain }, origin: "LOCAL" } as const
    return Effect.flatMap(runtime.context(null), (context) => runtime.fire({ ...event, context }))
  }

  /** Adds a plugin that was found, or the new manifest of a known one. */
  readonly #add = Effect.fnUntraced({ self: this }, function* (this: LocalPluginHost, plugin: FoundPlugin) {
    const { domain } = plugin.manifest
    const life = this.#known.get(domain)?.life ?? (yield* makeLife({
      domain,
      launch: (serving) => this.#launch(domain, serving),
      loaded: this.#publishLoaded(domain),
    }).pipe(Effect.provideService(Scope.Scope, this.#parts.scope)))
    this.#known.set(domain, { plugin, life })
    this.#unreadable.delete(domain)
  })

  /** Reads the plugin folders: the built-in plugins first, because their domains are reserved. */
  #discover(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const { folder, secret } = this.#parts.options
      const folders = [
        { path: builtInFolder, builtIn: true },
        ...(folder === null ? [] : [{ path: folder, builtIn: false }]),
      ]
      for (const each of folders) {
        const found = yield* findPlugins(each, secret).pipe(
          Effect.catch((failure) =>
            Effect.as(Effect.logError(failure.message), new Map<string, Result.Result<FoundPlugin, ManifestFailure>>())
          ),
        )
        for (const [domain, read] of found) yield* this.#addRead(domain, read, each.builtIn)
      }
    })
  }

  readonly #addRead = Effect.fnUntraced({ self: this }, function* (
    this: LocalPluginHost,
    domain: string,
    read: Result.Result<FoundPlugin, ManifestFailure>,
    builtIn: boolean,
  ) {
    const isReserved = !builtIn && this.#known.get(domain)?.plugin.builtIn === true
    if (Result.isFailure(read)) {
      this.#unreadable.set(domain, read.failure)
      yield* Effect.logError(`plugin cannot be loaded domain=${domain}: ${read.failure.message}`)
    } else if (isReserved) {
      const message = `${domain} is a plugin of the service itself: give yours another domain.`
      this.#unreadable.set(domain, new InvalidManifest({ domain, message }))
      yield* Effect.logError(message)
    } else if (!builtIn || this.#parts.options.builtIns.has(domain)) yield* this.#add(read.success)
  })

  /** Sets up all plugins, each after its dependencies, and then marks the entities of missing plugins. */
  readonly #setUpAll = Effect.gen({ self: this }, function* () {
    yield* this.#discover()
    for (const { entry } of yield* this.#parts.registries.list("entity")) {
      this.#owners.set(entry.entityId, entry.platform)
    }
    const { blocked, order } = setupOrder(this.#known)
    const started = new Map<string, Effect.Effect<void>>()
    for (const domain of [...order, ...blocked.keys()]) {
      const { life, plugin: { manifest } } = this.#known.get(domain)!
      const dependencies = [...manifest.dependencies ?? [], ...manifest.after_dependencies ?? []]
      // A plugin waits for those earlier in the order. A blocked one does not wait: it may be its own dependency.
      const earlier = dependencies.flatMap((each) =>
        started.has(each) && !blocked.has(domain) ? [started.get(each)!] : []
      )
      const before = Effect.all(earlier, { discard: true })
      started.set(domain, yield* Effect.cached(Effect.andThen(before, Effect.ignore(life.load))))
    }
    yield* Effect.forEach(started.values(), (each) => each, { concurrency: "unbounded", discard: true })
    yield* this.#markOrphans()
  })

  /** Makes entities unavailable whose plugin is not loaded. */
  #markOrphans() {
    return Effect.gen({ self: this }, function* () {
      const { registries, runtime } = this.#parts
      const replica = yield* runtime.replica
      const isLoaded = (platform: string) => this.#known.get(platform)?.life.status() === "loaded"
      for (const { entry: { entityId, platform } } of yield* registries.list("entity")) {
        const present = isLoaded(platform) ? null : replica.one(entityId)
        if (present === null || present.state === "unavailable") continue
        const order = { ...unavailableOf(present), forceUpdate: false, context: yield* runtime.context(null) }
        yield* Effect.ignore(runtime.write(entityId, order))
      }
    })
  }

  readonly #find = Effect.fnUntraced({ self: this }, function* (this: LocalPluginHost, domain: string) {
    const failure = this.#unreadable.get(domain)
    if (failure !== undefined) return yield* failure
    return this.#known.get(domain) ?? (yield* NotFound.of(domain))
  })

  #checkUnloaded(domain: string): Effect.Effect<void, UnloadFailed> {
    const isStuck = this.#known.get(domain)?.life.status() === "failed_unload"
    const message = `${domain} could not be unloaded. Restart the service.`
    return isStuck ? Effect.fail(new UnloadFailed({ domain, message })) : Effect.void
  }
}

/** A host whose plugins live in the scope in context. */
export const makePluginHost = Effect.fnUntraced(function* (options: HostOptions, registry: ServiceRegistry) {
  return new LocalPluginHost({
    options,
    registry,
    runtime: yield* HomeRuntime,
    registries: yield* HomeRegistries,
    random: yield* SecureRandom.SecureRandom,
    scope: yield* Effect.scope,
  }) satisfies PluginHost
})
