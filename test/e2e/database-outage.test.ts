/** What operators see while the database does not answer: what the node knows goes on, for the keys that have asked before. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type DatabaseLink, linkTo } from "../harness/database-link.ts"
import { hasPostgres, startPostgres, type TestPostgres } from "../harness/postgres.ts"
import { eventually, signIn, startService, type TestService } from "../harness/service.ts"

const available = await hasPostgres()

describe.skipIf(!available)("during an outage of the database", () => {
  let postgres: TestPostgres
  let link: DatabaseLink
  let service: TestService
  let key = ""
  let operatorKey = ""

  beforeAll(async () => {
    postgres = (await startPostgres())!
    link = await linkTo(postgres.url)
    const encryptionKey = Buffer.alloc(32, 7).toString("base64")
    service = await startService({ env: { DATABASE_URL: link.url, WAVEPOSE_ENCRYPTION_KEY: encryptionKey } })
    const api = await signIn(service)
    const made = await api.post("/auth/api-keys", { name: "prometheus", role: "viewer" })
    key = made.body.key
    operatorKey = (await api.post("/auth/api-keys", { name: "doctor", role: "operator" })).body.key
  })
  afterAll(async () => {
    link?.resume()
    link?.join()
    await service?.stop()
    await link?.stop()
    await postgres?.stop()
  })

  /** Prometheus waits ten seconds. */
  const read = async (path: string, waitMs = 10_000, as = key) => {
    const answer = await fetch(service.pose + path, {
      headers: { "X-API-Key": as },
      signal: AbortSignal.timeout(waitMs),
    })
    return { status: answer.status, text: await answer.text() }
  }
  const scrape = () => read("/metrics")
  const isUp = ({ status, text }: Awaited<ReturnType<typeof scrape>>, up: 0 | 1) =>
    status === 200 && text.includes(`\nwavepose_database_up ${up}\n`)

  it.each([
    ["refuses connections", () => link.cut(), () => link.join()],
    ["is silent", () => link.stall(), () => link.resume()],
  ])("that %s, metrics, detailed health and diagnostics are read, and nothing else", async (_, begin, end) => {
    await eventually(scrape, (answer) => isUp(answer, 1))
    const diagnostics = () => read("/api/v1/system/diagnostics", 10_000, operatorKey)
    // The first answers after an outage may still miss the store.
    await eventually(diagnostics, ({ text }) => JSON.parse(text).store_answers === true)
    // A request that is rejected for its parameter while the credential is known to be valid; after that it waits for the store or fails.
    // It waits longer than a credential is known, so none that has no answer by then is followed by one that is rejected for its parameter.
    const statusOfInvalid = () => read("/api/v1/pose/history?limit=none", 6_000).then(({ status }) => status, () => 503)
    await eventually(statusOfInvalid, (status) => status === 422)
    begin()
    await eventually(statusOfInvalid, (status) => status !== 422, 40_000)
    const answer = await scrape()
    expect([answer.status, isUp(answer, 0)]).toEqual([200, true])
    expect(await statusOfInvalid()).toBe(503)
    expect((await read("/api/v1/health/detailed")).status).toBe(200)
    const { current, reasons } = JSON.parse((await read("/api/v1/metrics")).text)
    expect([current.resources.process_memory_bytes > 0, current.business.detections_per_minute]).toEqual([true, null])
    expect(reasons["current.business.detections_per_minute"]).toContain("database did not answer")
    const { status, text } = await diagnostics()
    expect([status, JSON.parse(text)]).toMatchObject([200, { store_answers: false, listed_time: expect.any(String) }])
    expect((await fetch(`${service.pose}/metrics`, { headers: { "X-API-Key": "wp_unknown" } })).status).toBe(401)
    end()
    await eventually(scrape, (after) => isUp(after, 1), 40_000)
  }, 120_000)
})
