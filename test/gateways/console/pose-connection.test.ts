/** The console's connection on sockets and a clock of the test. */
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { makePoseConnection } from "../../../gateways/console/web/service/pose-connection.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A socket without a network: the test says when it opens, what it receives, and when it is closed. */
class StubSocket {
  isClosed = false
  onopen: (() => void) | null = null
  onmessage: ((event: { readonly data: string }) => void) | null = null
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null = null
  /** The service at the other end answers pings. */
  isAnswering = true
  readonly send = (text: string): void => {
    if (this.isAnswering && JSON.parse(text).type === "ping") this.receive({ type: "pong" })
  }
  readonly close = (): void => void (this.isClosed = true)

  readonly receive = (message: object): void => this.onmessage?.({ data: JSON.stringify(message) })
  readonly accept = (): void => {
    this.onopen?.()
    for (const channel of ["pose_updates", "alerts"]) this.receive({ type: "subscription_confirmed", channel })
  }
  readonly end = (code: number): void => this.onclose?.({ code, reason: "" })
}

const frame = { type: "pose_update", environment_id: "room" }
/** Longer than any waiting time between two attempts. */
const longMs = 20_000
const hiddenMs = 30_000

const begin = (renew: () => Promise<boolean> = () => Promise.resolve(true)) => {
  const sockets: Array<StubSocket> = []
  const frames: Array<string> = []
  const alerts: Array<string> = []
  const open = (): WebSocket => {
    const socket = new StubSocket()
    sockets.push(socket)
    return socket as unknown as WebSocket
  }
  const poses = makePoseConnection({ socket: open, token: () => "token", renew })
  const connect = () =>
    poses.connect({
      frame: ({ environment_id }) => void frames.push(environment_id),
      alertsSubscribed: () => void alerts.push("subscribed"),
      alert: ({ alert_id }) => void alerts.push(alert_id),
    })
  connect()
  sockets[0]!.accept()
  const hide = async () => {
    poses.setVisible(false)
    await vi.advanceTimersByTimeAsync(hiddenMs)
  }
  return { alerts, connect, frames, hide, poses, sockets }
}

it("connects again after the connection was lost", async () => {
  const { poses, sockets } = begin()
  sockets[0]!.end(1006)
  expect(poses.connection.value).toMatchObject({ state: "waiting", reason: "The connection was lost." })
  await vi.advanceTimersByTimeAsync(longMs)
  sockets[1]!.accept()
  expect(poses.connection.value).toEqual({ state: "open" })
  expect(sockets).toHaveLength(2)
})

it("ignores what a socket reports that it has closed, and keeps the one that it opened since", async () => {
  const { frames, hide, poses, sockets } = begin()
  await hide()
  expect(sockets[0]!.isClosed).toBe(true)
  poses.setVisible(true)
  sockets[1]!.accept()
  sockets[0]!.receive(frame)
  sockets[0]!.end(1006)
  await vi.advanceTimersByTimeAsync(longMs)
  expect(sockets).toHaveLength(2)
  expect(poses.connection.value).toEqual({ state: "open" })
  sockets[1]!.receive(frame)
  expect(frames).toEqual(["room"])
  poses.disconnect()
  expect(sockets[1]!.isClosed).toBe(true)
})

it("stays open while nothing happens and the service answers", async () => {
  const { poses, sockets } = begin()
  await vi.advanceTimersByTimeAsync(10 * longMs)
  expect(poses.connection.value).toEqual({ state: "open" })
  expect(sockets).toHaveLength(1)
})

it("is lost when the service does not answer, also if the browser reports no end", async () => {
  const { poses, sockets } = begin()
  sockets[0]!.isAnswering = false
  await vi.advanceTimersByTimeAsync(longMs)
  expect(sockets[0]!.isClosed).toBe(true)
  expect(poses.connection.value).toMatchObject({ state: "waiting", reason: "The service does not answer." })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(poses.connection.value).toEqual({ state: "connecting", reason: "The service does not answer." })
  // Neither does the next one.
  await vi.advanceTimersByTimeAsync(70_000)
  expect(sockets[1]!.isClosed).toBe(true)
  sockets.at(-1)!.accept()
  expect(poses.connection.value).toEqual({ state: "open" })
})

it("is not connected by a tab that is shown again after the sign-out", async () => {
  const { connect, hide, poses, sockets } = begin()
  poses.disconnect()
  await hide()
  poses.setVisible(true)
  expect(sockets).toHaveLength(1)
  connect()
  expect(sockets).toHaveLength(2)
})

it("is paused while a hidden tab is signed in, and connects when it is shown", async () => {
  const { connect, hide, poses, sockets } = begin()
  await hide()
  poses.disconnect()
  connect()
  expect(poses.connection.value).toEqual({ state: "paused" })
  expect(sockets).toHaveLength(1)
  poses.setVisible(true)
  expect(poses.connection.value).toMatchObject({ state: "connecting" })
  expect(sockets).toHaveLength(2)
})

it("tries again when its credential has ended and the renewal fails, and says so", async () => {
  const answers = [false, true]
  const { poses, sockets } = begin(() => Promise.resolve(answers.shift()!))
  sockets[0]!.end(4401)
  await vi.advanceTimersByTimeAsync(0)
  expect(poses.connection.value).toMatchObject({ state: "waiting", reason: "The sign-in could not be renewed." })
  await vi.advanceTimersByTimeAsync(longMs)
  sockets[1]!.end(4401)
  await vi.advanceTimersByTimeAsync(longMs)
  sockets[2]!.accept()
  expect(poses.connection.value).toEqual({ state: "open" })
  expect(sockets).toHaveLength(3)
})

it("is not open while its credential is renewed, and stays closed when the sign-in ends by it", async () => {
  const renewal = Promise.withResolvers<boolean>()
  const { poses, sockets } = begin(() => renewal.promise)
  sockets[0]!.end(4401)
  expect(poses.connection.value).toMatchObject({ state: "connecting" })
  poses.disconnect()
  renewal.resolve(false)
  await vi.advanceTimersByTimeAsync(longMs)
  expect(sockets).toHaveLength(1)
})

it("has one socket when the tab is hidden and shown during a renewal", async () => {
  const renewal = Promise.withResolvers<boolean>()
  const { hide, poses, sockets } = begin(() => renewal.promise)
  sockets[0]!.end(4401)
  await hide()
  poses.setVisible(true)
  sockets[1]!.accept()
  renewal.resolve(true)
  await vi.advanceTimersByTimeAsync(longMs)
  expect(sockets).toHaveLength(2)
  expect(poses.connection.value).toEqual({ state: "open" })
})

it("says when each subscription to the alerts begins, before its alerts", async () => {
  const { alerts, sockets } = begin()
  sockets[0]!.receive({ type: "alert", alert_id: "one" })
  sockets[0]!.end(1006)
  await vi.advanceTimersByTimeAsync(longMs)
  sockets[1]!.accept()
  sockets[1]!.receive({ type: "alert_update", alert_id: "one" })
  expect(alerts).toEqual(["subscribed", "one", "subscribed", "one"])
})
