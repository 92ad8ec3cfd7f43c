/**
 * The plugins of a host: their order of setup, what blocks them, and their views. Pure, except for their current status.
 */
import { type DependencyOrder, dependencyOrder } from "../../../core/home/dependency-order.ts"
import { domainOf, type JsonObject } from "../../../protocols/domain/home.ts"
import { type Manifest, type PluginStatus, SetupFailed } from "../../../protocols/domain/plugin.ts"
import type { FoundPlugin } from "./launched-plugin.ts"
import type { PluginLife } from "./plugin-supervisor.ts"
import type { ManifestFailure } from "./manifest-files.ts"

export interface Known {
  readonly plugin: FoundPlugin
  readonly life: PluginLife
}

/** Plugins by domain. */
type KnownPlugins = ReadonlyMap<string, Known>

/** A plugin as clients see it. */
export interface PluginView {
  readonly domain: string
  readonly status: PluginStatus
  readonly reason: string | null
}

/** The order of setup, by the dependencies in the manifests. */
export const setupOrder = (known: KnownPlugins): DependencyOrder =>
  dependencyOrder([...known.values()].map(({ plugin: { manifest } }) => ({
    domain: manifest.domain,
    dependencies: manifest.dependencies ?? [],
    afterDependencies: manifest.after_dependencies ?? [],
  })))

/** Why the manifests prevent a plugin from being set up; null when they do not. */
const blockOf = ({ disabled, domain, requirements = [] }: Manifest, known: KnownPlugins): SetupFailed | null => {
  const no = (reason: SetupFailed["reason"], text: string) =>
    new SetupFailed({ domain, reason, message: `${domain}: ${text}` })
  if (disabled !== undefined) return no("disabled", `its manifest disables it: ${disabled}`)
  if (requirements.length > 0) {
    return no(
      "requirements",
      `it requires ${requirements.join(", ")}, and packages are not installed for plugins. Put them into its folder.`,
    )
  }
  const block = setupOrder(known).blocked.get(domain)
  switch (block?.kind) {
    case undefined:
      return null
    case "circular":
      return no("circular", `its dependencies are circular: ${block.cycle.join(" -> ")}.`)
    case "missing":
      return no("dependency", `it depends on ${block.dependency}, which is not there.`)
    case "dependency":
      return no("dependency", `it depends on ${block.dependency}, which cannot be set up.`)
  }
}

/** Why a plugin cannot be set up now, by the manifests and the states of the other plugins; null when setup can be tried. */
export const whyNot = (manifest: Manifest, known: KnownPlugins): SetupFailed | null => {
  const { dependencies = [], domain } = manifest
  const block = blockOf(manifest, known)
  if (block !== null) return block
  const statusOf = (other: string) => known.get(other)?.life.status()
  const missing = dependencies.filter((each) => statusOf(each) !== "loaded")
  if (missing.length === 0) return null
  return new SetupFailed({
    domain,
    reason: missing.every((each) => statusOf(each) === "setup_retry") ? "retry" : "dependency",
    message: `Unable to set up dependencies of ${domain}. Setup failed for dependencies: ${missing.join(", ")}`,
  })
}

export const loadedOf = (known: KnownPlugins): ReadonlyArray<readonly [domain: string, plugin: Known]> =>
  [...known].filter(([, { life }]) => life.status() === "loaded")

/** Manifests as clients see them. */
export const manifestsOf = (known: KnownPlugins): ReadonlyArray<JsonObject> =>
  [...known.values()].map(({ plugin: { builtIn, manifest } }): JsonObject => ({
    dependencies: [],
    codeowners: [],
    requirements: [],
    integration_type: "hub",
    ...manifest,
    is_built_in: builtIn,
  }))

/** The components that are set up: plugins, and `plugin.domain` for each domain in which a plugin has entities. */
export const componentsOf = (known: KnownPlugins): ReadonlyArray<string> => [
  ...new Set(
    loadedOf(known).flatMap(([domain, { life }]) => [
      domain,
      ...life.entityIds().map((entityId) => `${domain}.${domainOf(entityId)}`),
    ]),
  ),
]

/** The states of all plugins, including those whose files cannot be read. */
export const viewsOf = (
  known: KnownPlugins,
  unreadable: ReadonlyMap<string, ManifestFailure>,
): ReadonlyArray<PluginView> => [
  ...[...known].map(([domain, { life }]) => ({ domain, status: life.status(), reason: life.reason() })),
  ...[...unreadable].map(([domain, { message }]) => ({ domain, status: "setup_error" as const, reason: message })),
]
