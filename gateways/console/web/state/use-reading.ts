/** The reading of a component. */
import { useMemo } from "preact/hooks"
import { makeReading, type Reading } from "./reading.ts"

/** @param about what is read; a change of it forgets the value */
export const useReading = <A>(read: () => Promise<A | null>, about: string): Reading<A> =>
  useMemo(() => makeReading(read), [about])
