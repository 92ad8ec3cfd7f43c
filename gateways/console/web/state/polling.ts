/** Reads something at once and again at an interval while a component is shown. */
import { useEffect } from "preact/hooks"

/** @param about what is read; a change of it reads at once */
export const usePolling = (load: () => Promise<void>, intervalMs: number, about: string): void => {
  useEffect(() => {
    void load()
    const timer = setInterval(() => void load(), intervalMs)
    return () => clearInterval(timer)
  }, [about])
}
