/**
 * Analytics, health, metrics and the document itself. The store is one in which nothing is; with something in it:
 * `analytics.test.ts` and `metrics.test.ts`.
 */
import { expect } from "vitest"
import type { World } from "../world.ts"
import { type Case, data, type Failure, storeDown, type Subject } from "./case.ts"

const times = "start_time=2026-01-05T00:00:00Z&end_time=2026-01-06T00:00:00Z"
const analytics = ["healthcare", "retail", "security", `summary?${times}`, `occupancy?${times}`, "events"]
  .map((name) => ({ title: `analytics: ${name}`, method: "GET", path: `/analytics/${name}` }))

/** The readiness probe of a node that lacks a part. */
const notReady = (part: string, given: (world: World) => void, reason: string): Failure => ({
  title: `readiness without ${part}`,
  method: "GET",
  path: "/health/ready",
  given,
  status: 503,
  code: "SERVICE_UNAVAILABLE",
  check: ({ json }) => expect(json.error.details).toEqual({ status: "not_ready", reasons: [reason] }),
})

export const reports: Subject = {
  subject: "reports",
  successes: [
    ...analytics.map((report): Case => ({ ...report, as: "viewer", status: 200 })),
    { title: "detailed health", method: "GET", path: "/health/detailed", as: "viewer", status: 200 },
    { title: "metrics", method: "GET", path: "/metrics", as: "viewer", status: 200 },
    { title: "health", method: "GET", path: "/health", status: 200 },
    { title: "health without a store", method: "GET", path: "/health", given: storeDown, status: 200 },
    ...["/health/live", "/health/ready"].map((path): Case => ({
      title: `probe ${path}`,
      method: "GET",
      path,
      status: 200,
      check: (answer, form) =>
        expect(data(answer, form)).toMatchObject({ status: path.slice("/health/".length), reasons: [] }),
    })),
    { title: "liveness without a store", method: "GET", path: "/health/live", given: storeDown, status: 200 },
    { title: "AsyncAPI", method: "GET", path: "/asyncapi.json", status: 200 },
    { title: "OpenAPI of the bare form", method: "GET", path: "/openapi.bare.json", status: 200 },
    { title: "OpenAPI of the envelope form", method: "GET", path: "/openapi.envelope.json", status: 200 },
    {
      title: "OpenAPI with marked extensions",
      method: "GET",
      path: "/openapi.json",
      as: "viewer",
      status: 200,
      check: ({ json }) => {
        const { parameters } = json.paths["/api/v1/pose/latest"].get
        for (const name of ["include_3d", "include_dense_pose"]) {
          expect(parameters).toContainEqual(expect.objectContaining({
            name,
            in: "query",
            description: expect.stringMatching(/^Extension: /),
            schema: { type: "boolean", default: false },
          }))
        }
      },
    },
  ],
  failures: [
    notReady("a store", storeDown, "The database does not answer."),
    notReady("a session", (world) => void (world.sessionSilent = true), "The system session cannot be reached."),
    ...analytics.map((report): Failure => ({
      ...report,
      as: "viewer",
      given: storeDown,
      status: 503,
      code: "SERVICE_UNAVAILABLE",
    })),
  ],
}
