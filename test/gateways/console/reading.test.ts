import { expect, it } from "vitest"
import { makeReading } from "../../../gateways/console/web/state/reading.ts"

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
