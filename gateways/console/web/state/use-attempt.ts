/** Work that a button or a form begins: whether it runs, and why the last run failed. */
import { useSignal } from "@preact/signals"

interface Attempt {
  readonly isBusy: boolean
  /** Null before the first run, while one runs, and after one that did not fail. */
  readonly fault: string | null
  readonly run: (work: () => Promise<unknown>) => Promise<void>
}

/** @param textOf the fault that is shown, from the message of a failure */
export const useAttempt = (textOf: (message: string) => string = (message) => message): Attempt => {
  const fault = useSignal<string | null>(null)
  const isBusy = useSignal(false)
  const run = async (work: () => Promise<unknown>): Promise<void> => {
    isBusy.value = true
    fault.value = null
    try {
      await work()
    } catch (cause) {
      fault.value = textOf((cause as Error).message)
    }
    isBusy.value = false
  }
  return { isBusy: isBusy.value, fault: fault.value, run }
}
