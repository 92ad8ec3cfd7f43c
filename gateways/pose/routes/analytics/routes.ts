/**
 * Routes of the group Analytics: each reads stored data, from which the core makes a report.
 */
import { events } from "./events.ts"
import { healthcare } from "./healthcare.ts"
import { occupancy } from "./occupancy.ts"
import { retail } from "./retail.ts"
import { security } from "./security.ts"
import { type ErrorCounts, makeSummary } from "./summary.ts"

export const analyticsRoutes = (errors: ErrorCounts) => [
  healthcare,
  retail,
  security,
  makeSummary(errors),
  events,
  occupancy,
]
