/** The configuration in the embedded database: saved with the session or not at all, and its record. */
import { Cause, Effect, Exit, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { firstConfiguration, planChange } from "../../../../actors/session/configuration.ts"
import { ConfigurationStore } from "../../../../actors/store/session/configurations.ts"
import { SessionStore } from "../../../../actors/store/session/sessions.ts"
import { layerStores } from "../../../../deploy/composition/service.ts"
import type { ConfigurationChanges } from "../../../../protocols/domain/configuration.ts"
import { defaultStartOptions, type SystemSession } from "../../../../protocols/domain/system.ts"
import {
  ConfigurationHistory,
  type ConfigurationRecord,
  Configurations,
} from "../../../../protocols/ports/configuration.ts"
import type { ConfigurationState } from "../../../../protocols/messages/session.ts"
import { useStores } from "../../../harness/stores.ts"

const session: SystemSession = {
  status: "stopped",
  sessionId: null,
  startedAtMs: null,
  estimatedReadyMs: null,
  steps: [],
  options: { ...defaultStartOptions, domain: "retail" },
  failure: null,
}
const by = { kind: "apiKey", id: "k1", name: "robot" } as const
const recordOf = (before: ConfigurationState, changes: ConfigurationChanges, atMs: number): ConfigurationRecord =>
  Effect.runSync(planChange(before, changes, by, atMs)).record!

describe("the configuration in the store", () => {
  const { run, database } = useStores(({ location }) => layerStores(location))
  /** What another node reads, which has read nothing before. */
  const elsewhere = async () => {
    const other = ManagedRuntime.make(layerStores(database().location))
    const read = await other.runPromise(Effect.flatMap(Configurations, ({ current }) => current))
    await other.dispose()
    return read
  }

  it("is that of the saved session before the first change, then the newest one, on every node", async () => {
    const sessions = await run(SessionStore)
    await run(sessions.save(session))
    expect(await run(Effect.flatMap(ConfigurationStore, ({ load }) => load))).toBe(null)
    const here = () => run(Effect.flatMap(Configurations, ({ current }) => current))
    expect([(await elsewhere()).domain, (await here()).domain]).toEqual(["retail", "retail"])
    const first = firstConfiguration(session)
    const record = recordOf(first, { domain: "security", privacy: { dataRetentionDays: 90 } }, 1_000)
    await run(sessions.save(session, record))
    expect(await run(Effect.flatMap(ConfigurationStore, ({ load }) => load))).toEqual({
      revision: 1,
      configuration: record.configuration,
    })
    expect(await elsewhere()).toEqual(record.configuration)
    expect(await here()).toEqual(record.configuration)
  })

  it("is saved with the session or not at all", async () => {
    const sessions = await run(SessionStore)
    const state = (await run(Effect.flatMap(ConfigurationStore, ({ load }) => load)))!
    // A record that another session actor has written already.
    const stale = recordOf({ ...state, revision: 0 }, { domain: "general" }, 2_000)
    const exit = await run(Effect.exit(sessions.save({ ...session, status: "running" }, stale)))
    expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain("another session actor")
    expect((await run(sessions.load))!.status).toBe("stopped")
    expect(await run(Effect.flatMap(ConfigurationStore, ({ load }) => load))).toEqual(state)
    expect(await run(Effect.flatMap(ConfigurationHistory, ({ changes }) => changes(null, 10)))).toHaveLength(1)
  })

  it("keeps the record of its changes, page by page", async () => {
    const sessions = await run(SessionStore)
    for (let maxPersons = 1; maxPersons <= 4; maxPersons++) {
      const state = (await run(Effect.flatMap(ConfigurationStore, ({ load }) => load)))!
      await run(sessions.save(session, recordOf(state, { detection: { maxPersons } }, 5_000 + maxPersons)))
    }
    const { changes } = await run(ConfigurationHistory)
    const newest = await run(changes(null, 3))
    expect(newest.map(({ revision }) => revision)).toEqual([5, 4, 3])
    expect((await run(changes(3, 3))).map(({ revision }) => revision)).toEqual([2, 1])
    expect(newest[0]).toEqual({
      revision: 5,
      atMs: 5_004,
      by,
      fields: ["detection.maxPersons"],
      before: { "detection.maxPersons": 3 },
      after: { "detection.maxPersons": 4 },
      takenBack: null,
    })
    expect((await run(changes(2, 1)))[0]).toMatchObject({
      before: { domain: "retail", "privacy.dataRetentionDays": 30 },
      after: { domain: "security", "privacy.dataRetentionDays": 90 },
    })
  })

  it("is read from the database once a second at most", async () => {
    const { current } = await run(Configurations)
    const before = await run(current)
    await run(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE configuration SET value = '{}'::jsonb`))
    expect(await run(current)).toBe(before)
  })
})
