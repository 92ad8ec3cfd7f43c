/** The service's findings about itself, read again while a page shows them; only operators may read them. */
import { signal } from "@preact/signals"
import { authorised, isAtLeast } from "../service/session.ts"
import type { Findings } from "../service/types.ts"
import { usePolling } from "./polling.ts"

/** Null: not read yet, or not allowed. */
export const findings = signal<Findings | null>(null)
export const findingsFault = signal<string | null>(null)

const load = async (): Promise<void> => {
  if (!isAtLeast("operator")) return
  try {
    findings.value = await authorised<Findings>("/system/findings")
    findingsFault.value = null
  } catch (cause) {
    findingsFault.value = (cause as Error).message
  }
}

/** Reads the findings at once and every `intervalMs`. */
export const useFindings = (intervalMs: number): void => void usePolling(load, intervalMs, "findings")
