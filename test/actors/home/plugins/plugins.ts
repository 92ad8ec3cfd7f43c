/** A plugin host with its own home, and plugin folders for it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { type BuiltIns } from "../../../../actors/home/plugins/built-ins.ts"
import { makePluginHost, type PluginHost } from "../../../../actors/home/plugins/plugin-host.ts"
import { makeServiceRegistry, type ServiceRegistry } from "../../../../actors/home/services/registry.ts"
import type { ProcessSettings } from "../../../../actors/home/plugins/plugin-channel.ts"
import { defaultPluginBudget } from "../../../../core/home/plugin-budget.ts"
import type { BusEntry, JsonObject } from "../../../../protocols/domain/home.ts"
import { HomeRegistries } from "../../../../protocols/ports/home-registries.ts"
import { HomeRuntime, type Replica } from "../../../../protocols/ports/home-runtime.ts"
import { layerHome } from "../../../harness/home.ts"

interface PluginFiles {
  /** Beside domain, name and version. */
  readonly manifest?: Readonly<Record<string, unknown>>
  readonly source?: string
}

/** Whether this runtime can enforce the permissions of a plugin. */
export const enforces = "Deno" in globalThis

export const writePlugin = (folder: string, domain: string, { manifest = {}, source = "" }: PluginFiles): string => {
  const path = join(folder, domain)
  mkdirSync(path, { recursive: true })
  const whole = { domain, name: `The plugin ${domain}`, version: "1.0.0", ...manifest }
  writeFileSync(join(path, "manifest.json"), JSON.stringify(whole))
  writeFileSync(join(path, "plugin.ts"), source)
  return path
}

interface Home {
  readonly host: PluginHost
  readonly registry: ServiceRegistry
  readonly replica: Replica
  readonly heard: ReadonlyArray<BusEntry>
  readonly folder: string
  readonly call: (name: string, data?: JsonObject, returnResponse?: boolean) => ReturnType<ServiceRegistry["call"]>
  /** Waits until something of the home is so. */
  readonly until: (holds: () => boolean) => Effect.Effect<void>
  readonly statusOf: (domain: string) => string | undefined
}

/** Settings of the processes of plugins. */
export const processes = { budget: defaultPluginBudget, variables: process.env }

const bare: BuiltIns = new Map()

/** Runs a program in a home with these plugins, which it must start. */
export const inHome = <A, E>(
  plugins: Readonly<Record<string, PluginFiles>>,
  program: (home: Home) => Effect.Effect<A, E, HomeRuntime | HomeRegistries | Scope.Scope>,
  settings: Partial<ProcessSettings> = {},
): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "wavepose-plugins-"))
  for (const [domain, files] of Object.entries(plugins)) writePlugin(folder, domain, files)
  return Effect.gen(function* () {
    const runtime = yield* HomeRuntime
    const registry = yield* makeServiceRegistry
    const host = yield* makePluginHost(
      { folder, secret: [join(folder, "..", "secret")], builtIns: bare, processes: { ...processes, ...settings } },
      registry,
    )
    const replica = yield* runtime.replica
    const heard: Array<BusEntry> = []
    replica.listen((entries) => void heard.push(...entries))
    const until: Home["until"] = (holds) =>
      Effect.callback<void>((resume) => {
        const look = () => holds() ? resume(Effect.void) : void setImmediate(look)
        look()
      })
    return yield* program({
      host,
      registry,
      replica,
      heard,
      folder,
      call: (name, data = {}, returnResponse = false) =>
        Effect.flatMap(runtime.context("user-1"), (context) => {
          const [domain, service] = name.split(".") as [string, string]
          return registry.call({ domain, service, data, context, returnResponse })
        }),
      until,
      statusOf: (domain) => host.views().find((view) => view.domain === domain)?.status,
    })
  }).pipe(
    Effect.scoped,
    Effect.provide(layerHome),
    Effect.ensuring(Effect.sync(() => rmSync(folder, { recursive: true, force: true }))),
    Effect.runPromise,
  )
}
