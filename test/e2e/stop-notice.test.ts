/** A planned stop, as a proxy and the clients of a node see it: first the node is not ready, and it serves on for a time. */
import { afterAll, expect, it } from "vitest"
import { HealthClient } from "../gateways/grpc/tools.ts"
import { eventually, signIn, startService, type TestService } from "../harness/service.ts"

const noticeS = 4

let service: TestService | undefined
afterAll(() => service?.stop())

it("a node that is asked to stop is not ready, serves for the time of notice, and ends", async () => {
  service = await startService({ env: { WAVEPOSE_STOP_NOTICE_SECONDS: String(noticeS) } })
  const { pose } = service
  const api = await signIn(service)
  const readiness = async () => {
    const answer = await fetch(`${pose}/health/ready`)
    return { status: answer.status, text: await answer.text() }
  }
  const socket = new WebSocket(`${pose.replace("http", "ws")}/ws/pose?token=${api.token}`)
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = reject
  })
  const health = new HealthClient(Number(service.grpc.split(":")[1]))
  expect(await health.check("")).toBe("SERVING")
  expect((await readiness()).status).toBe(200)

  const startMs = performance.now()
  let closedMs: number | null = null
  socket.onclose = () => closedMs = performance.now() - startMs
  const ended = service.stop()
  const { text } = await eventually(readiness, ({ status }) => status === 503)
  expect(JSON.parse(text).error.details.reasons).toEqual(["The node is stopping."])
  await eventually(() => health.check(""), (status) => status === "NOT_SERVING")
  // New requests are served, and streams go on.
  expect((await api.get("/system/status")).status).toBe(200)
  expect(socket.readyState).toBe(WebSocket.OPEN)
  health.close()
  expect(await ended).toBe(0)
  service = undefined
  expect(closedMs).toBeGreaterThanOrEqual(noticeS * 1_000)
  await expect(fetch(`${pose}/health/ready`)).rejects.toThrow()
}, 60_000)
