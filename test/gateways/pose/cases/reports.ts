/**
 * Analytics, health, metrics and the document itself. The store is one in which nothing is; with something in it:
 * `analytics.test.ts` and `metrics.test.ts`.
 */
import { expect } from "vitest"
import { type Case, type Failure, storeDown, type Subject } from "./case.ts"

const times = "start_time=2026-01-05T00:00:00Z&end_time=2026-01-06T00:00:00Z"
const analytics = ["healthcare", "retail", "security", `summary?${times}`, `occupancy?${times}`, "events"]
  .map((name) => ({ title: `analytics: ${name}`, method: "GET", path: `/analytics/${name}` }))

export const reports: Subject = {
  subject: "reports",
  successes: [
    ...analytics.map((report): Case => ({ ...report, as: "viewer", status: 200 })),
    { title: "detailed health", method: "GET", path: "/health/detailed", as: "viewer", status: 200 },
    { title: "metrics", method: "GET", path: "/metrics", as: "viewer", status: 200 },
    { title: "health", method: "GET", path: "/health", status: 200 },
    { title: "health without a store", method: "GET", path: "/health", given: storeDown, status: 200 },
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
            required: false,
            description: expect.stringMatching(/^Extension: /),
            schema: { type: "boolean", default: false },
          }))
        }
      },
    },
  ],
  failures: [
    ...analytics.map((report): Failure => ({
      ...report,
      as: "viewer",
      given: storeDown,
      status: 503,
      code: "SERVICE_UNAVAILABLE",
    })),
  ],
}
