/**
 * Header chains: whether headers of one byte order lead from each to the next, in captures that do not state their byte order.
 */
import { lost, needMore, type Step } from "./record-stream.ts"

/** Headers that must agree. A wrong byte order could fit one by chance. */
export const chainHeaders = 3

/** The header at `at`: length of its record, or the step for bytes that are none, or are not complete. */
type HeaderLength = (at: number) => number | Step

/** The length of the first record, if it begins a chain of `chainHeaders` headers, else the step for the bytes there. */
export const chainAt = (at: number, headerLength: HeaderLength): number | Step => {
  const first = headerLength(at)
  if (typeof first !== "number") return first === needMore ? needMore : lost
  let next = at + first
  for (let i = 1; i < chainHeaders; i++) {
    const length = headerLength(next)
    if (typeof length !== "number") return length === needMore ? needMore : lost
    next += length
  }
  return first
}
