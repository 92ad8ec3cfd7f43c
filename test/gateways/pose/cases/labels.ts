/**
 * Labels of rooms: listing, adding and deleting.
 */
import { expect } from "vitest"
import type { RoomLabel } from "../../../../protocols/domain/label.ts"
import type { World } from "../world.ts"
import { data, storeDown, type Subject, validation, wrongField } from "./case.ts"

const idOf = (n: number) => `00000000-0000-7000-8000-00000000000${n}`
const path = "/labels?environment_id=living-room"
const list = { method: "GET", path, as: "viewer" as const }
const noon = Date.UTC(2026, 0, 5, 12)
const span = { environment_id: "living-room", start_time: "2026-01-05T12:01:00Z", end_time: "2026-01-05T12:02:00Z" }
const add = { method: "POST", path: "/labels", as: "operator" as const, body: { ...span, state: "moving" } }
const remove = {
  method: "DELETE",
  path: `/labels/${idOf(2)}`,
  template: "/labels/{label_id}",
  as: "operator" as const,
}
const label: RoomLabel = {
  labelId: idOf(2),
  environmentId: "living-room",
  fromMs: noon,
  toMs: noon + 60_000,
  state: "empty",
  note: null,
  createdMs: noon,
  createdBy: "vera",
}
const one = (world: World) => {
  world.labels = [label]
}

export const labels: Subject = {
  subject: "labels",
  successes: [
    {
      title: "the labels of a room",
      ...list,
      given: one,
      status: 200,
      check: (answer, form) =>
        expect(data(answer, form).labels).toMatchObject([{
          label_id: idOf(2),
          start_time: "2026-01-05T12:00:00.000Z",
          end_time: "2026-01-05T12:01:00.000Z",
          state: "empty",
          frames: { total: 0, present: 0, absent: 0 },
        }]),
    },
    {
      title: "a new label beside another one",
      ...add,
      given: one,
      status: 201,
      check: (answer, form, world) => {
        expect(data(answer, form)).toMatchObject({ state: "moving", note: null })
        expect(world.labels).toHaveLength(2)
      },
    },
    {
      title: "the deletion of a label",
      ...remove,
      given: one,
      status: 204,
      check: (_answer, _form, world) => expect(world.labels).toEqual([]),
    },
  ],
  failures: [
    { title: "labels while the store is down", ...list, given: storeDown, status: 503, code: "SERVICE_UNAVAILABLE" },
    {
      title: "labels of an unknown environment",
      ...list,
      path: "/labels?environment_id=attic",
      status: 404,
      code: "RESOURCE_NOT_FOUND",
    },
    { title: "a viewer who labels", ...add, as: "viewer", status: 403, code: "AUTHORIZATION_ERROR" },
    {
      title: "a label that overlaps another one",
      ...add,
      body: { ...add.body, start_time: "2026-01-05T12:00:59Z" },
      given: one,
      status: 422,
      code: validation,
      check: (answer, form) => expect(wrongField(answer, form)).toBe("start_time"),
    },
    {
      title: "a label that ends before it begins",
      ...add,
      body: { ...add.body, end_time: span.start_time },
      status: 422,
      code: validation,
      check: (answer, form) => expect(wrongField(answer, form)).toBe("end_time"),
    },
    {
      title: "a label of more than a week",
      ...add,
      body: { ...add.body, end_time: "2026-02-05T12:00:00Z" },
      status: 422,
      code: validation,
    },
    { title: "the deletion of no label", ...remove, status: 404, code: "RESOURCE_NOT_FOUND" },
  ],
}
