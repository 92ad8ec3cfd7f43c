/** The period of a request on the past. */
import { readTime } from "./read-time.ts"
import type { HomeCall } from "./route.ts"

export const dayUs = 86_400_000_000

/**
 * From the time of the path, by default `beginsUs`, to `end_time`, by default so many days later. Times are in microseconds since 1970. A text
 * says which of the two is invalid.
 */
export const readPeriod = (
  { params, query }: Pick<HomeCall, "params" | "query">,
  beginsUs: number,
  days = 1,
): { readonly fromUs: number; readonly untilUs: number } | string => {
  const given = params["timestamp"]
  const fromUs = given === undefined ? beginsUs : readTime(given)
  if (fromUs === null) return "Invalid datetime"
  const end = query.get("end_time")
  const untilUs = end === null ? fromUs + days * dayUs : readTime(end)
  return untilUs === null || Number.isNaN(untilUs) ? "Invalid end_time" : { fromUs, untilUs }
}
