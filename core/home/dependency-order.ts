/**
 * The order in which plugins are set up, and which of them cannot be.
 *
 * A plugin waits for all of its `dependencies`, and of its `afterDependencies` for those that there are. Boundary: only what the
 * manifests say is judged here; a dependency whose own setup fails at run time is the host's matter.
 *
 * Invariants:
 * 1. Every plugin is either in `order`, after all that it waits for, or in `blocked` with the reason.
 * 2. The same manifests give the same order, whatever order they come in.
 */

export interface Dependent {
  readonly domain: string
  readonly dependencies: ReadonlyArray<string>
  readonly afterDependencies: ReadonlyArray<string>
}

/** Why a plugin cannot be set up, whatever happens. */
type Block =
  /** There is no plugin of that domain. */
  | { readonly kind: "missing"; readonly dependency: string }
  /** It waits for itself; the first and last of the way round are the same. */
  | { readonly kind: "circular"; readonly cycle: ReadonlyArray<string> }
  /** What it depends on is blocked itself. */
  | { readonly kind: "dependency"; readonly dependency: string }

export interface DependencyOrder {
  readonly order: ReadonlyArray<string>
  readonly blocked: ReadonlyMap<string, Block>
}

type Waits = ReadonlyMap<string, ReadonlyArray<string>>

/** A way from one plugin to another over what they wait for, both ends included; null when there is none. */
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

/** What blocks each plugin: itself first, then rounds over all until nothing new is blocked. */
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

/** The order of setup. An `afterDependencies` that would close a circle is not waited for. */
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
