/** `wavepose export` against a gateway with stored frames. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Clock, Duration, Effect, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { createFirstAdmin } from "../../../actors/store/accounts/users.ts"
import { layerDatabase } from "../../../actors/store/database/database.ts"
import { EncryptionKeys } from "../../../actors/store/encryption/encryption-keys.ts"
import { dayMs } from "../../../core/analytics/calendar.ts"
import { exportTable } from "../../../deploy/commands/export-command.ts"
import { layerAccountStores, layerStores } from "../../../deploy/composition/service.ts"
import { defaultConnectionLimits } from "../../../gateways/access/connection-limits.ts"
import { ampleRules, type Gateway, startGateway } from "../../gateways/pose/harness.ts"
import { embeddedDatabase, type TestDatabase } from "../../harness/database.ts"
import { frameWith, storeFrames } from "../../harness/stored-frames.ts"

const folder = mkdtempSync(join(tmpdir(), "wavepose-export-"))
const startMs = Date.UTC(2026, 0, 5, 9)
const frames = Array.from({ length: 3_500 }, (_, i) => frameWith(i + 1, startMs + i * 100, []))

/** A window whose end is far away whenever the test runs. */
const windowS = 1e9
/** The machine's clock, on which a sleep of more than a day ends at once, because it sets the clock forward. */
const real = Effect.runSync(Clock.Clock)
let aheadMs = 0
const leaping: Clock.Clock = {
  currentTimeMillisUnsafe: () => real.currentTimeMillisUnsafe() + aheadMs,
  currentTimeMillis: Effect.map(real.currentTimeMillis, (ms) => ms + aheadMs),
  currentTimeNanosUnsafe: () => real.currentTimeNanosUnsafe() + BigInt(aheadMs) * 1_000_000n,
  currentTimeNanos: Effect.map(real.currentTimeNanos, (nanos) => nanos + BigInt(aheadMs) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: real.monotonicTimeNanos,
  sleep: (duration) =>
    Duration.toMillis(duration) <= dayMs
      ? real.sleep(duration)
      : Effect.sync(() => void (aheadMs += Duration.toMillis(duration))),
}
const gatewayClock: Clock.Clock = { ...leaping, sleep: (duration) => real.sleep(duration) }

const password = "the administrator's password"

let database: TestDatabase
let gateway: Gateway

const layerAccounts = ({ location }: TestDatabase) =>
  layerAccountStores.pipe(
    Layer.provideMerge(layerDatabase(location)),
    Layer.provide(EncryptionKeys.layer({ given: [], file: "no-keys", mayMake: false })),
    Layer.provideMerge(NodeCrypto.layerSecureRandom),
    Layer.orDie,
  )
let accounts: ManagedRuntime.ManagedRuntime<Layer.Success<ReturnType<typeof layerAccounts>>, never>

beforeAll(async () => {
  database = await embeddedDatabase()
  const stores = layerStores(database.location)
  const runtime = ManagedRuntime.make(stores)
  await runtime.runPromise(storeFrames(frames))
  await runtime.dispose()
  accounts = ManagedRuntime.make(layerAccounts(database))
  await accounts.runPromise(createFirstAdmin("root", password))
  const rules = { ...ampleRules, rest: { limit: 2, windowS } }
  gateway = await startGateway({ limits: { rules, connections: defaultConnectionLimits } }, {
    accounts: Layer.effectContext(accounts.contextEffect),
    history: stores,
    clock: gatewayClock,
  })
  vi.stubEnv("WAVEPOSE_API_KEY", "")
  vi.stubEnv("WAVEPOSE_ADMIN_USERNAME", "root")
  vi.stubEnv("WAVEPOSE_ADMIN_PASSWORD", password)
}, 60_000)
afterAll(async () => {
  vi.unstubAllEnvs()
  await gateway.stop()
  await accounts.dispose()
  await database.stop()
  rmSync(folder, { recursive: true })
})

const frameIds = (file: string) => {
  const [head, ...rows] = readFileSync(file, "utf8").trim().split("\r\n").map((line) => line.split(","))
  const id = head!.indexOf("frame_id")
  return rows.map((row) => Number(row[id]))
}

/** Exports frames with these options; returns what was said, and the ids in the file. */
const exported = async (range: { readonly from: string; readonly until: string }) => {
  const file = join(folder, "frames.csv")
  const said = vi.spyOn(console, "error").mockImplementation(() => undefined)
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined)
  const command = exportTable({ table: "frames", file, ...range, environmentId: null, url: gateway.url, json: true })
  await Effect.runPromise(Effect.provideService(command, Clock.Clock, leaping))
  const answer = { said: said.mock.calls.flat().join(), printed: log.mock.calls.flat().join(), ids: frameIds(file) }
  said.mockRestore()
  log.mockRestore()
  return answer
}

describe("an export", () => {
  it("of more pages than the rate limit admits waits for windows, also longer than its token lasts, and signs out", async () => {
    const { ids, said } = await exported({ from: "2026-01-05T09:00:00Z", until: "2026-01-05T10:00:00+00:00" })
    expect(ids).toEqual(frames.map(({ frameId }) => frameId))
    expect(said).toContain("The export continues in")
    const sessions = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT 1 FROM user_sessions`)
    expect(await accounts.runPromise(sessions)).toEqual([])
  })

  it("reads a day as UTC, and rejects a time without an offset", async () => {
    const { printed } = await exported({ from: "2026-01-05", until: "2026-01-06" })
    expect(JSON.parse(printed)).toMatchObject({ from: "2026-01-05T00:00:00.000Z", until: "2026-01-06T00:00:00.000Z" })
    for (const from of ["2026-01-05T00:00:00", "Jan 5 2026", "2026-02-30", "2026-02-30T00:00:00Z"]) {
      await expect(exported({ from, until: "2026-03-06" })).rejects.toThrow(`--from is "${from}"`)
    }
  })
})
