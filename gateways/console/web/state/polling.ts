/** Reads something at once and again at an interval while a component is shown. */
import { useEffect } from "preact/hooks"
import { startPolling } from "./start-polling.ts"

/**
 * @param read does not throw, as the `load` of a reading
 * @param about what is read; a change of it reads at once
 */
export const usePolling = (read: () => Promise<void>, intervalMs: number, about: string): void =>
  useEffect(() => startPolling(read, intervalMs), [about])
