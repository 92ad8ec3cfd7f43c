import { afterEach, beforeEach, expect, it } from "vitest"
import { forms } from "../../../../protocols/pose-api/forms.ts"
import { call } from "../contract.ts"
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

it.each(forms)("all labels of a room are in the export and in the pages of the list in the %s form", async (form) => {
  const dayMs = 86_400_000
  const days = Array.from({ length: 450 }, (_, i) => noon + i * dayMs)
  gateway.world.labels = days.map((fromMs, i) => ({
    environmentId: "living-room",
    state: "empty",
    note: null,
    createdMs: noon,
    createdBy: "vera",
    labelId: String(i),
    fromMs,
    toMs: fromMs + 60_000,
  }))
  const [, ...rows] = (await (await ask(form, "file=day.csv&start_time=2026-01-05T12:00:00Z")).text()).trim().split(
    "\n",
  )
  expect(rows.map((row) => Number(row.split(",")[4]))).toEqual(days.map((fromMs) => (fromMs - noon) / 1000))

  const starts: Array<number> = []
  const sizes: Array<number> = []
  for (let cursor: string | null = ""; cursor !== null;) {
    const query: string = cursor === "" ? "" : `&cursor=${cursor}`
    const answer = await call(gateway.url, {
      method: "GET",
      path: `/labels?environment_id=living-room${query}`,
      form: form as "bare",
      token: await gateway.token("viewer"),
    })
    const { labels, pagination } = form === "bare" ? answer.json : answer.json.data
    starts.push(...labels.map(({ start_time }: { readonly start_time: string }) => Date.parse(start_time)))
    sizes.push(labels.length)
    cursor = pagination.next_cursor
    expect(pagination.has_more).toBe(cursor !== null)
  }
  expect([sizes, starts]).toEqual([[200, 200, 50], days.toReversed()])
})
