import { afterEach, beforeEach, expect, it } from "vitest"
import { forms } from "../../../../protocols/pose-api/forms.ts"
import { type Gateway, startGateway } from "../harness.ts"

let gateway: Gateway

beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.stop())

const noon = Date.UTC(2026, 0, 5, 12)

const ask = async (form: string, query: string) =>
  fetch(`${gateway.url}/api/v1/labels/export?environment_id=living-room&${query}`, {
    headers: { authorization: `Bearer ${await gateway.token("viewer")}`, "x-response-form": form },
  })

it.each(forms)("the labels of a recording are CSV in the %s form", async (form) => {
  const label = {
    environmentId: "living-room",
    state: "empty",
    note: null,
    createdMs: noon,
    createdBy: "vera",
  } as const
  gateway.world.labels = [
    { ...label, labelId: "2", fromMs: noon + 60_000, toMs: noon + 90_000, state: "moving" },
    { ...label, labelId: "1", fromMs: noon, toMs: noon + 60_000 },
  ]
  const answer = await ask(form, "file=day.csv&start_time=2026-01-05T11:59:30Z&end_time=2026-01-05T12:01:15Z")
  expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8")
  expect(await answer.text()).toBe(
    "file,room,link,state,from_s,until_s,breathing_per_minute\n" +
      "day.csv,living-room,living-room,empty,30.000,90.000,\n" +
      "day.csv,living-room,living-room,moving,90.000,105.000,\n",
  )
})

it("a file name that CSV cannot hold is rejected", async () => {
  const answer = await ask("bare", "file=a,b&start_time=2026-01-05T11:59:30Z")
  expect(answer.status).toBe(422)
  const { error } = await answer.json() as { readonly error: { readonly code: string } }
  expect(error.code).toBe("VALIDATION_ERROR")
})
