import { afterEach, expect, it, vi } from "vitest"
import { startPolling } from "../../../gateways/console/web/state/start-polling.ts"
import { makeReading } from "../../../gateways/console/web/state/reading.ts"

afterEach(() => void vi.useRealTimers())

it("a service that is slow gets one request at a time", async () => {
  vi.useFakeTimers()
  const answers: Array<() => void> = []
  const stop = startPolling(() => new Promise((done) => answers.push(done)), 1_000)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(answers).toHaveLength(1)
  answers[0]!()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(answers).toHaveLength(2)
  stop()
  answers[1]!()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(answers).toHaveLength(2)
})

it("keeps its value when a read fails, and says of when it is", async () => {
  const answers: Array<string | Error> = [new Error("Busy."), "one", new Error("Busy."), "two"]
  const reading = makeReading(async () => {
    const answer = answers.shift()!
    if (answer instanceof Error) throw answer
    return await Promise.resolve(answer)
  })
  await reading.load()
  expect([reading.value.value, reading.fault.value]).toEqual([null, "Busy."])
  await reading.load()
  expect([reading.value.value, reading.fault.value]).toEqual(["one", null])
  await reading.load()
  expect(reading.value.value).toBe("one")
  expect(reading.fault.value).toMatch(/^Busy\. What is shown was read at .*\d:\d\d:\d\d/)
  await reading.load()
  expect([reading.value.value, reading.fault.value]).toEqual(["two", null])
})
