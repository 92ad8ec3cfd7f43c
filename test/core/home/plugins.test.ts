import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { dependencyOrder, type Dependent } from "../../../core/home/dependency-order.ts"
import { isPluginVersion } from "../../../core/home/plugin-version.ts"

const plugin = (
  domain: string,
  dependencies: ReadonlyArray<string> = [],
  afterDependencies: ReadonlyArray<string> = [],
) => ({
  domain,
  dependencies,
  afterDependencies,
})

describe("the order of setup", () => {
  it("puts dependencies first", () => {
    expect(dependencyOrder([plugin("a", ["b"]), plugin("b", ["c"]), plugin("c")]).order).toEqual(["c", "b", "a"])
  })

  it("waits for existing after_dependencies only, and never in a circle", () => {
    expect(dependencyOrder([plugin("a", [], ["z", "absent"]), plugin("z")]).order).toEqual(["z", "a"])
    expect(dependencyOrder([plugin("a", [], ["b"]), plugin("b", ["a"])]).order).toEqual(["a", "b"])
    expect(dependencyOrder([plugin("a", [], ["b"]), plugin("b", [], ["a"])]).order).toEqual(["b", "a"])
  })

  it("blocks plugins with a missing or circular dependency, and all that wait for them, with the reason", () => {
    const { blocked, order } = dependencyOrder([
      plugin("alone"),
      plugin("lost", ["nowhere"]),
      plugin("one", ["two"]),
      plugin("two", ["one"]),
      plugin("self", ["self"]),
      plugin("waiter", ["alone", "lost"]),
      plugin("waiters_waiter", ["waiter"]),
    ])
    expect(order).toEqual(["alone"])
    expect(Object.fromEntries(blocked)).toEqual({
      lost: { kind: "missing", dependency: "nowhere" },
      one: { kind: "circular", cycle: ["one", "two", "one"] },
      two: { kind: "circular", cycle: ["two", "one", "two"] },
      self: { kind: "circular", cycle: ["self", "self"] },
      waiter: { kind: "dependency", dependency: "lost" },
      waiters_waiter: { kind: "dependency", dependency: "waiter" },
    })
  })

  it("orders every plugin after its dependencies, or blocks it, for any manifests in any order", () => {
    const names = ["a", "b", "c", "d", "e", "f"]
    const some = fc.subarray(names)
    const anyPlugins: fc.Arbitrary<ReadonlyArray<Dependent>> = fc.subarray(names).chain((domains) =>
      fc.tuple(
        ...domains.map((domain) =>
          fc.record({ domain: fc.constant(domain), dependencies: some, afterDependencies: some })
        ),
      )
    )
    fc.assert(fc.property(anyPlugins, (plugins) => {
      const { blocked, order } = dependencyOrder(plugins)
      expect([...order, ...blocked.keys()].sort()).toEqual(plugins.map(({ domain }) => domain).sort())
      for (const { dependencies, domain } of plugins) {
        const at = order.indexOf(domain)
        if (at === -1) continue
        for (const dependency of dependencies) {
          expect(order.indexOf(dependency)).toBeGreaterThanOrEqual(0)
          expect(order.indexOf(dependency)).toBeLessThan(at)
        }
      }
      expect(dependencyOrder([...plugins].reverse())).toEqual({ order, blocked })
    }))
  })
})

describe("versions of plugins", () => {
  it.each([
    "1",
    "1.2",
    "v1.2.3",
    "1.2.3-beta.1+build.5",
    "2026.11.0",
    "2026.11.0b3",
    "1.0rc1",
    "1!2.0.post1",
    "0.1.dev3",
  ])(
    "accepts %s",
    (version) => expect(isPluginVersion(version)).toBe(true),
  )
  it.each(["", "one", "1.2.", "latest", "1 2", "1.2.3-", "../1"])(
    "rejects %o",
    (version) => expect(isPluginVersion(version)).toBe(false),
  )
})
