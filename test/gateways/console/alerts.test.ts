/** The console's list of alerts on answers and a clock of the test. */
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { alertBody } from "../../../protocols/pose-api/socket-alert.ts"
import { RequestFailed } from "../../../gateways/console/web/service/request-failed.ts"
import type { Alert } from "../../../gateways/console/web/service/types.ts"
import { makeAlertList } from "../../../gateways/console/web/state/alert-list.ts"
import { makeAlert } from "../../harness/events.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const alert = (id: string, status: Alert["status"]): Alert => alertBody.bare(makeAlert(id, status, 1), 0)
const failed = (status: number) => new RequestFailed(status, { code: "CODE", message: `status ${status}` })
/** Longer than the time after which a read is repeated. */
const longMs = 40_000

/** A list whose store and acknowledgements the test changes. */
const begin = () => {
  const world = {
    stored: [] as ReadonlyArray<Alert> | RequestFailed,
    acknowledgement: null as RequestFailed | null,
    reads: 0,
  }
  const list = makeAlertList({
    stored: () => {
      world.reads++
      return world.stored instanceof RequestFailed ? Promise.reject(world.stored) : Promise.resolve(world.stored)
    },
    acknowledge: () => world.acknowledgement === null ? Promise.resolve() : Promise.reject(world.acknowledgement),
  })
  const subscribe = async () => {
    list.subscribed()
    await vi.advanceTimersByTimeAsync(0)
  }
  const shown = () => list.alerts.value.map(({ alert_id, status }) => `${alert_id} ${status}`)
  return { list, shown, subscribe, world }
}

it("an alert that was cleared while the tab was not connected is shown as cleared", async () => {
  const { list, shown, subscribe, world } = begin()
  await subscribe()
  list.received(alert("one", "open"))
  list.received(alert("two", "open"))
  world.stored = [alert("one", "cleared")]
  await subscribe()
  expect(shown()).toEqual(["one cleared"])
})

it("what the subscription has sent is newer than what is stored", async () => {
  const { list, shown, subscribe, world } = begin()
  world.stored = [alert("one", "open"), alert("old", "cleared")]
  list.subscribed()
  list.received(alert("one", "acknowledged"))
  list.received(alert("new", "open"))
  await vi.advanceTimersByTimeAsync(0)
  expect(shown()).toEqual(["new open", "one acknowledged", "old cleared"])
  await subscribe()
  expect(shown()).toEqual(["one open", "old cleared"])
})

it("an open alert that the subscription has not sent is read again", async () => {
  const { list, shown, subscribe, world } = begin()
  world.stored = [alert("one", "open")]
  await subscribe()
  expect(shown()).toEqual(["one open"])
  world.stored = [alert("one", "cleared")]
  await vi.advanceTimersByTimeAsync(longMs)
  expect(shown()).toEqual(["one cleared"])
  await vi.advanceTimersByTimeAsync(longMs)
  expect(world.reads).toBe(2)
  list.clear()
})

it("a read that fails is reported and repeated", async () => {
  const { list, shown, world } = begin()
  world.stored = failed(503)
  await list.load()
  expect([list.isRead.value, list.fault.value]).toEqual([false, "status 503"])
  world.stored = [alert("one", "cleared")]
  await vi.advanceTimersByTimeAsync(longMs)
  expect([list.isRead.value, list.fault.value]).toEqual([true, null])
  expect(shown()).toEqual(["one cleared"])
})

it("an acknowledgement is shown without a connection, and its failure is thrown", async () => {
  const { list, shown, world } = begin()
  world.stored = [alert("one", "open")]
  await list.load()
  world.acknowledgement = failed(503)
  await expect(list.acknowledge("one")).rejects.toThrow("status 503")
  expect(shown()).toEqual(["one open"])
  world.acknowledgement = null
  await list.acknowledge("one")
  expect(shown()).toEqual(["one acknowledged"])
})

it("an alert that cannot be acknowledged because it is over is read again", async () => {
  const { list, shown, world } = begin()
  world.stored = [alert("one", "open")]
  await list.load()
  world.stored = [alert("one", "cleared")]
  world.acknowledgement = failed(404)
  await expect(list.acknowledge("one")).rejects.toThrow("status 404")
  await vi.advanceTimersByTimeAsync(0)
  expect(shown()).toEqual(["one cleared"])
})

it("nothing is read after the sign-out, and no answer that was under way is shown", async () => {
  const { list, shown, world } = begin()
  world.stored = [alert("one", "open")]
  const read = list.load()
  list.clear()
  await read
  await vi.advanceTimersByTimeAsync(longMs)
  expect(shown()).toEqual([])
  expect(world.reads).toBe(1)
})
