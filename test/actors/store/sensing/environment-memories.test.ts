/** What environments hand over, in the embedded database: kept until they are removed, known to be late, and not kept for long. */
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
  const read = (environmentId: string) =>
    run(Effect.flatMap(EnvironmentMemories, (memories) => memories.read(environmentId)))
  const left = () =>
    run(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT environment_id FROM environment_memories`))
  /** As if all memories had been left so long ago. */
  const age = (seconds: number) =>
    run(Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`UPDATE environment_memories SET left_at = now() - make_interval(secs => ${seconds})`,
    ))

  it("stay until they are removed, the newest of each", async () => {
    await leave("home", "older")
    const older = await read("home")
    await leave("home", "newer")
    await leave("shop", "other")
    await run(older!.remove)
    const newer = await read("home")
    expect(newer).toMatchObject({ memory: "newer", isLate: false })
    expect(await read("home")).toMatchObject({ memory: "newer" })
    await run(newer!.remove)
    expect(await read("home")).toBeNull()
    expect(await read("shop")).toMatchObject({ memory: "other", isLate: false })
  })

  it("are late after a while, and deleted after a day by another environment", async () => {
    await leave("home", "of home")
    await leave("shop", "of shop")
    await age(60)
    expect(await read("home")).toMatchObject({ memory: "of home", isLate: true })
    await age(90_000)
    expect(await read("home")).toBeNull()
    await leave("home", "of home")
    expect(await left()).toEqual([{ environment_id: "home" }])
    const home = await read("home")
    await leave("shop", "of shop")
    await age(90_000)
    await run(home!.remove)
    expect(await left()).toEqual([])
  })
})
