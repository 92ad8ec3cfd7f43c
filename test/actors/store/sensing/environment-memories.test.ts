/** What environments hand over, in the embedded database: taken once, known to be late, and not kept for long. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { EnvironmentMemories } from "../../../../actors/store/sensing/environment-memories.ts"
import { layerStores } from "../../../../deploy/composition/service.ts"
import { useStores } from "../../../harness/stores.ts"

describe("the memories of environments", () => {
  const { run } = useStores(({ location }) => layerStores(location))
  const leave = (environmentId: string, memory: string) =>
    run(Effect.flatMap(EnvironmentMemories, (memories) => memories.leave(environmentId, memory)))
  const take = (environmentId: string) =>
    run(Effect.flatMap(EnvironmentMemories, (memories) => memories.take(environmentId)))
  /** As if all memories had been left so long ago. */
  const age = (seconds: number) =>
    run(Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`UPDATE environment_memories SET left_at = now() - make_interval(secs => ${seconds})`,
    ))

  it("are taken once, the newest of each", async () => {
    await leave("home", "older")
    await leave("home", "newer")
    await leave("shop", "other")
    expect(await take("home")).toEqual({ memory: "newer", isLate: false })
    expect(await take("home")).toBeNull()
    expect(await take("shop")).toEqual({ memory: "other", isLate: false })
  })

  it("are late after a while, and deleted after a day by another environment", async () => {
    await leave("home", "of home")
    await leave("shop", "of shop")
    await age(60)
    expect(await take("home")).toEqual({ memory: "of home", isLate: true })
    await age(90_000)
    expect(await take("home")).toBeNull()
    expect(await take("shop")).toBeNull()
    await leave("shop", "of shop")
    await age(90_000)
    await leave("home", "of home")
    expect(await take("shop")).toBeNull()
  })
})
