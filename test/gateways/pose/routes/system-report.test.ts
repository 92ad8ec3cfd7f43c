/** What is asked for a report of the system, and what it still has while the session does not answer. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { eventually } from "../../../harness/service.ts"
import { call } from "../contract.ts"
import { apiKey, startGateway } from "../harness.ts"
import { directoryDouble } from "../ports.ts"
import { makeStatus, makeWorld } from "../world.ts"

const bedroom = { environmentId: "bedroom", name: "Bedroom", geometry: null }

it("a report without the session asks no environment, and the metrics have what the environments say", async () => {
  const gateway = await startGateway()
  const ask = async (path: string) => call(gateway.url, { method: "GET", path, token: await gateway.token("viewer") })
  // The sample of the start has been taken.
  await eventually(() => ask("/metrics"), ({ json }) => json.historical.length > 0)
  let described = 0
  gateway.world.describe = (id) => (described++, makeStatus(id))
  gateway.world.sessionSilent = true
  expect((await ask("/system/status")).status).toBe(504)
  expect(described).toBe(0)
  const [metrics, page] = await Promise.all([
    ask("/metrics"),
    fetch(`${gateway.url}/metrics`, { headers: { "X-API-Key": apiKey } }).then((response) => response.text()),
  ])
  expect(metrics.json.current).toMatchObject({
    performance: { frames_per_second: 10, average_latency_ms: 31.5 },
    business: { active_persons: 2 },
  })
  expect(page).toContain("wavepose_frames_per_second{")
  expect(page).not.toContain("wavepose_system_running")
  await gateway.stop()
})

it("a report reads the routers once for all late environments", async () => {
  const directory = directoryDouble({ ...makeWorld(), environments: [...makeWorld().environments, bedroom] })
  let reads = 0
  const routers = Effect.suspend(() => (reads++, directory.routers))
  const gateway = await startGateway({}, { directory: { ...directory, routers } })
  gateway.world.describe = (id) => ({ ...makeStatus(id), frameAgeMs: 30_000 })
  const ask = async (path: string) => call(gateway.url, { method: "GET", path, token: await gateway.token("viewer") })
  await eventually(() => ask("/metrics"), ({ json }) => json.historical.length > 0)
  const before = reads
  expect((await ask("/system/status")).status).toBe(200)
  expect(reads - before).toBe(1)
  await gateway.stop()
})
