/** The service's diagnostics, read again while a page shows them. */
import { authorised } from "../service/session.ts"
import type { Diagnostics } from "../service/types.ts"
import { usePolling } from "./polling.ts"
import { makeReading } from "./reading.ts"

const reading = makeReading(() => authorised<Diagnostics>("/system/diagnostics"))

export const diagnostics = reading.value
export const diagnosticsFault = reading.fault

/** Reads the diagnostics at once and every `intervalMs`. */
export const useDiagnostics = (intervalMs: number): void => usePolling(reading.load, intervalMs, "diagnostics")
