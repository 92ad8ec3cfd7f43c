/** The times of the page, in four steps a second. */
import { signal } from "@preact/signals"

/** For ages that are shown as text. Monotonic milliseconds. */
export const nowMs = signal(performance.now())
/** Epoch milliseconds. Jumps when the clock of the machine is set. */
export const timeOfDayMs = signal(Date.now())

const stepMs = 250

setInterval(() => {
  nowMs.value = performance.now()
  timeOfDayMs.value = Date.now()
}, stepMs)
