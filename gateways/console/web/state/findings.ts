/** The service's findings about itself, read again while a page shows them; only operators may read them. */
import { authorised, isAtLeast } from "../service/session.ts"
import type { Findings } from "../service/types.ts"
import { usePolling } from "./polling.ts"
import { makeReading } from "./reading.ts"

const reading = makeReading(async () => isAtLeast("operator") ? await authorised<Findings>("/system/findings") : null)

export const findings = reading.value
export const findingsFault = reading.fault

/** Reads the findings at once and every `intervalMs`. */
export const useFindings = (intervalMs: number): void => usePolling(reading.load, intervalMs, "findings")
