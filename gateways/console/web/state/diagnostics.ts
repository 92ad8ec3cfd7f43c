/** The service's diagnostics, read again while a page shows them. */
import { signal } from "@preact/signals"
import { authorised } from "../service/session.ts"
import type { Diagnostics } from "../service/types.ts"
import { usePolling } from "./polling.ts"

export const diagnostics = signal<Diagnostics | null>(null)
export const diagnosticsFault = signal<string | null>(null)

const load = async (): Promise<void> => {
  try {
    diagnostics.value = await authorised<Diagnostics>("/system/diagnostics")
    diagnosticsFault.value = null
  } catch (cause) {
    diagnosticsFault.value = (cause as Error).message
  }
}

/** Reads the diagnostics at once and every `intervalMs`. */
export const useDiagnostics = (intervalMs: number): void => void usePolling(load, intervalMs, "diagnostics")
