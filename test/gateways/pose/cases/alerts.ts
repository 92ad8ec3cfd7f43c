/**
 * Listing and acknowledging alerts.
 */
import { expect } from "vitest"
import { makeAlert } from "../../../harness/events.ts"
import type { World } from "../world.ts"
import { data, storeDown, type Subject, validation, wrongField } from "./case.ts"

const idOf = (n: number) => `00000000-0000-7000-8000-00000000000${n}`
const list = { method: "GET", path: "/alerts", as: "viewer" as const }
const acknowledgement = {
  method: "POST",
  path: `/alerts/${idOf(3)}/acknowledge`,
  template: "/alerts/{alert_id}/acknowledge",
  as: "operator" as const,
}
const three = (world: World) => {
  world.storedAlerts = [
    makeAlert(idOf(3), "open", 1),
    makeAlert(idOf(2), "acknowledged", 2),
    makeAlert(idOf(1), "cleared", 3),
  ]
}
const idsIn = (alerts: ReadonlyArray<{ readonly alert_id: string }>) => alerts.map(({ alert_id }) => alert_id)

export const alerts: Subject = {
  subject: "alerts",
  successes: [
    {
      title: "the alerts",
      ...list,
      given: three,
      status: 200,
      check: (answer, form) => {
        const { alerts, pagination } = data(answer, form)
        expect(idsIn(alerts)).toEqual([idOf(3), idOf(2), idOf(1)])
        expect(pagination).toEqual({ has_more: false, next_cursor: null })
        expect(alerts[0]).toMatchObject({
          environment_id: "living-room",
          alert_type: "fall_detection",
          status: "open",
          actions_required: ["medical_response", "notification"],
          data: { person_id: 7, location: { x: 1.5, y: 2.25 }, confidence: 0.8123 },
        })
        expect(alerts[0].data.track_id).toBe(form === "envelope" ? 7 : undefined)
      },
    },
    {
      title: "a page of alerts",
      ...list,
      path: `/alerts?limit=1&cursor=${idOf(3)}&environment_id=living-room`,
      given: three,
      status: 200,
      check: (answer, form) => {
        const { alerts, pagination } = data(answer, form)
        expect(idsIn(alerts)).toEqual([idOf(2)])
        expect(pagination).toEqual({ has_more: true, next_cursor: idOf(2) })
      },
    },
    {
      title: "the alerts of a status",
      ...list,
      path: "/alerts?status=cleared",
      given: three,
      status: 200,
      check: (answer, form) => expect(idsIn(data(answer, form).alerts)).toEqual([idOf(1)]),
    },
    {
      title: "the acknowledgement of an alert",
      ...acknowledgement,
      status: 200,
      check: (answer, form, { acknowledged }) => {
        expect(acknowledged).toMatchObject([{ alertId: idOf(3) }])
        expect(data(answer, form)).toEqual({
          alert_id: idOf(3),
          environment_id: "living-room",
          status: "acknowledged",
          acknowledged_by: acknowledged[0]!.by,
        })
      },
    },
  ],
  failures: [
    { title: "alerts while the store is down", ...list, given: storeDown, status: 503, code: "SERVICE_UNAVAILABLE" },
    {
      title: "alerts of an unknown environment",
      ...list,
      path: "/alerts?environment_id=attic",
      status: 404,
      code: "RESOURCE_NOT_FOUND",
    },
    {
      title: "a cursor that is none",
      ...list,
      path: `/alerts?cursor=${idOf(9)}`,
      given: three,
      status: 422,
      code: validation,
      check: (answer, form) => expect(wrongField(answer, form)).toBe("cursor"),
    },
    {
      title: "a status that there is not",
      ...list,
      path: "/alerts?status=loud",
      status: 422,
      code: validation,
      check: (answer, form) => expect(wrongField(answer, form)).toBe("status"),
    },
    { title: "a viewer who acknowledges", ...acknowledgement, as: "viewer", status: 403, code: "AUTHORIZATION_ERROR" },
    {
      title: "acknowledgement of an alert that is not open",
      ...acknowledgement,
      given: (world) => {
        world.acknowledges = false
      },
      status: 404,
      code: "RESOURCE_NOT_FOUND",
    },
  ],
}
