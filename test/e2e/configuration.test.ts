/**
 * The configuration of a real service: changed by an operator at run time, effective at once, and restored after a kill.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { eventually, signIn, startService } from "../harness/service.ts"

const dataDirectory = mkdtempSync(join(tmpdir(), "wavepose-configuration-"))
afterAll(() => rmSync(dataDirectory, { recursive: true, force: true }))

it("takes effect, is recorded and stored, and so are webhooks", async () => {
  const first = await startService({ dataDirectory })
  const api = await signIn(first)
  await eventually(() => api.get("/system/status"), ({ body }) => body.status === "running")
  const changed = await api.put("/config", {
    "detection.max_persons": 3,
    alerts: { fall_detection: { sensitivity: 0.9 } },
  })
  expect(changed).toMatchObject({ status: 200, body: { status: "updated", restart_required: false } })
  expect((await api.put("/config", { neural_network: { model_version: "nobody-has-it" } })).status).toBe(422)
  const made = await api.post("/webhooks", { url: "https://hooks.example.org/" })
  expect(made.status).toBe(201)
  expect(statSync(join(dataDirectory, "encryption-keys")).mode & 0o777).toBe(0o600)
  await first.kill()

  const second = await startService({ dataDirectory })
  const again = await signIn(second)
  const { body } = await again.get("/config")
  expect(body).toMatchObject({ detection: { max_persons: 3 }, alerts: { fall_detection: { sensitivity: 0.9 } } })
  const changes = await again.get("/config/changes")
  expect(changes.body.changes[0]).toMatchObject({
    changed_by: { kind: "user", name: "admin" },
    after: { "detection.max_persons": 3, "alerts.fall_detection.sensitivity": 0.9 },
  })
  expect((await again.get("/webhooks")).body.webhooks).toMatchObject([{
    webhook_id: made.body.webhook_id,
    status: "active",
  }])
  // A start keeps the settings that it does not name.
  await again.post("/system/stop", { force: true })
  await eventually(() => again.get("/system/status"), (answer) => answer.body.status === "stopped")
  await again.post("/system/start", { configuration: { domain: "healthcare" } })
  await eventually(() => again.get("/system/status"), (answer) => answer.body.status === "running")
  expect((await again.get("/config")).body).toMatchObject({ domain: "healthcare", detection: { max_persons: 3 } })
  expect(await second.stop()).toBe(0)
}, 90_000)
