/** Loads of nodes and moved groups in the embedded database. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { Placements } from "../../../../actors/runtime/placements.ts"
import { layerDatabase } from "../../../../actors/store/database/database.ts"
import { layerPlacements } from "../../../../actors/store/database/placements.ts"
import type { TestDatabase } from "../../../harness/database.ts"
import { useStores } from "../../../harness/stores.ts"

const layerOf = ({ location }: TestDatabase) => layerPlacements.pipe(Layer.provideMerge(layerDatabase(location)))

describe("placements in the store", () => {
  const { run } = useStores(layerOf)

  it("replaces the report of a node, and forgets nodes that ended", () =>
    run(Effect.gen(function* () {
      const { loads, report } = yield* Placements
      const sql = yield* SqlClient.SqlClient
      yield* report("a:1", { cores: 0.25, groups: new Map([["sensing-1", 0.125]]) })
      yield* report("b:2", { cores: 0.5, groups: new Map() })
      yield* sql`UPDATE cluster_loads SET reported_at = now() - interval '2 hours'`
      yield* report("b:2", { cores: 1, groups: new Map([["sensing-2", 0.75]]) })
      const found = yield* loads
      expect(found).toEqual([
        { address: "b:2", cores: 1, groups: new Map([["sensing-2", 0.75]]), ageMs: expect.any(Number) },
      ])
      expect(found[0]!.ageMs).toBeLessThan(3_600_000)
    })))

  it("moves groups, and says when", () =>
    run(Effect.gen(function* () {
      const { pin, pins } = yield* Placements
      const sql = yield* SqlClient.SqlClient
      yield* pin([{ group: "sensing-1", address: "a:1" }, { group: "sensing-2", address: "a:1" }])
      yield* sql`UPDATE cluster_pins SET pinned_at = now() - interval '2 hours'`
      yield* pin([{ group: "sensing-2", address: "b:2" }])
      const found = (yield* pins).toSorted((a, b) => a.group < b.group ? -1 : 1)
      expect(found.map(({ address, ageMs, group }) => [group, address, ageMs > 3_600_000])).toEqual([
        ["sensing-1", "a:1", true],
        ["sensing-2", "b:2", false],
      ])
    })))
})
