/** Reads something at once and again at an interval while a component is shown. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { startPolling } from "./start-polling.ts"

interface Polling {
  /** Why the last read failed; null: it did not. */
  readonly fault: string | null
  /** Reads now. Does not throw. */
  readonly read: () => Promise<void>
}

/** @param about what is read; a change of it reads at once */
export const usePolling = (load: () => Promise<unknown>, intervalMs: number, about: string): Polling => {
  const fault = useSignal<string | null>(null)
  const read = async (): Promise<void> => {
    try {
      await load()
      fault.value = null
    } catch (cause) {
      fault.value = (cause as Error).message
    }
  }
  useEffect(() => startPolling(read, intervalMs), [about])
  return { fault: fault.value, read }
}
