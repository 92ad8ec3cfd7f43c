/** Something of the service that is read again and again while a page shows it. */
import { type Signal, signal } from "@preact/signals"
import { secondText } from "./time-text.ts"

export interface Reading<A> {
  /** Null: not read yet, or not allowed. */
  readonly value: Signal<A | null>
  /** Why the last read failed, and of when the value is; null: it did not. */
  readonly fault: Signal<string | null>
  /** Reads it. Does not throw. */
  readonly load: () => Promise<void>
}

export const makeReading = <A>(read: () => Promise<A | null>): Reading<A> => {
  const value = signal<A | null>(null)
  const fault = signal<string | null>(null)
  let readAtMs = 0
  const load = async (): Promise<void> => {
    try {
      value.value = await read()
      readAtMs = Date.now()
      fault.value = null
    } catch (cause) {
      const age = value.value === null ? "" : ` What is shown was read at ${secondText(readAtMs)}.`
      fault.value = `${(cause as Error).message}${age}`
    }
  }
  return { value, fault, load }
}
