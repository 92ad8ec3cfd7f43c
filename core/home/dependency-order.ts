/**
 * The order of setup of plugins, and the plugins that cannot be set up.
 *
 * A plugin waits for all of its `dependencies`, and for those of its `afterDependencies` that exist. Boundary: this file uses the
 * manifests only. The host handles a dependency whose setup fails at run time.
 *
 * Invariants:
 * 1. Every plugin is either in `order`, after all plugins that it waits for, or in `blocked` with the reason.
 * 2. The same manifests give the same order, for any order of the input.
 */

export interface Dependent {
  readonly domain: string
  readonly dependencies: ReadonlyArray<string>
  readonly afterDependencies: ReadonlyArray<string>
}

/** Why a plugin cannot be set up. */
type Block =
  /** There is no plugin of that domain. */
  | { readonly kind: "missing"; readonly dependency: string }
  /** It waits for itself; the first and last element of the circle are equal. */
  | { readonly kind: "circular"; readonly cycle: ReadonlyArray<string> }
  /** One of its dependencies is blocked. */
  | { readonly kind: "dependency"; readonly dependency: string }

export interface DependencyOrder {
  readonly order: ReadonlyArray<string>
  readonly blocked: ReadonlyMap<string, Block>
}

type Waits = ReadonlyMap<string, ReadonlyArray<string>>

/** A path of dependencies from one plugin to another, both ends included; null if there is none. */
const wayBetween = (from: string, to: string, waits: Waits): ReadonlyArray<string> | null => {
  const seen = new Set<string>()
  const walk = (domain: string, way: ReadonlyArray<string>): ReadonlyArray<string> | null => {
    for (const next of waits.get(domain) ?? []) {
      if (next === to) return [...way, next]
      if (seen.has(next)) continue
      seen.add(next)
      const found = walk(next, [...way, next])
      if (found !== null) return found
    }
    return null
  }
  return walk(from, [from])
}

/** The reason why each plugin is blocked: its own first, then rounds over all until no plugin is added. */
const blocksOf = (dependencies: Waits): ReadonlyMap<string, Block> => {
  const blocked = new Map<string, Block>()
  for (const [domain, waitedFor] of dependencies) {
    const missing = waitedFor.find((dependency) => !dependencies.has(dependency))
    const cycle = wayBetween(domain, domain, dependencies)
    if (missing !== undefined) blocked.set(domain, { kind: "missing", dependency: missing })
    else if (cycle !== null) blocked.set(domain, { kind: "circular", cycle })
  }
  for (let before = -1; before < blocked.size;) {
    before = blocked.size
    for (const [domain, waitedFor] of dependencies) {
      const dependency = waitedFor.find((each) => blocked.has(each))
      if (dependency !== undefined && !blocked.has(domain)) blocked.set(domain, { kind: "dependency", dependency })
    }
  }
  return blocked
}

/** The order of setup. An `afterDependencies` that would close a circle is ignored. */
export const dependencyOrder = (plugins: ReadonlyArray<Dependent>): DependencyOrder => {
  const sorted = [...plugins].sort((a, b) => a.domain < b.domain ? -1 : 1)
  const dependencies = new Map(sorted.map(({ dependencies, domain }) => [domain, [...dependencies].sort()]))
  const blocked = blocksOf(dependencies)
  const waits = new Map(dependencies)
  for (const { afterDependencies, domain } of sorted) {
    for (const other of [...afterDependencies].sort()) {
      const counts = dependencies.has(other) && other !== domain && wayBetween(other, domain, waits) === null
      if (counts) waits.set(domain, [...waits.get(domain)!, other])
    }
  }
  const order: Array<string> = []
  const begun = new Set<string>()
  const place = (domain: string): void => {
    if (blocked.has(domain) || begun.has(domain)) return
    begun.add(domain)
    waits.get(domain)!.forEach(place)
    order.push(domain)
  }
  for (const { domain } of sorted) place(domain)
  return { order, blocked }
}
