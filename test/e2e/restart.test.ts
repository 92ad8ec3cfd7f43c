/**
 * What outlives the process: the session, the administrator, the frames.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { eventually, signIn, startService } from "../harness/service.ts"

const dataDirectory = mkdtempSync(join(tmpdir(), "wavepose-restart-"))
afterAll(() => rmSync(dataDirectory, { recursive: true, force: true }))

const statusOf = async (service: Awaited<ReturnType<typeof startService>>) => {
  const api = await signIn(service)
  const { body } = await api.get("/system/status?form=envelope")
  return { api, status: body.data.status as string, sessionId: body.data.session_id as string }
}

describe("a restarted process", () => {
  it("finds its session again, running or stopped, after a kill and after a stop", async () => {
    const first = await startService({ dataDirectory })
    const running = await statusOf(first)
    expect(running.status).toBe("running")
    await first.kill()

    const second = await startService({ dataDirectory })
    const found = await statusOf(second)
    expect(found).toMatchObject({ status: "running", sessionId: running.sessionId })
    await found.api.post("/system/stop", { force: false, save_state: true })
    await eventually(async () => (await statusOf(second)).status, (status) => status === "stopped")
    expect(await second.stop()).toBe(0)

    const third = await startService({ dataDirectory })
    expect(await statusOf(third)).toMatchObject({ status: "stopped" })
    await third.stop()
  }, 90_000)
})
