/** The time of the page: four steps a second, for ages that are shown as text. Monotonic milliseconds. */
import { signal } from "@preact/signals"

export const nowMs = signal(performance.now())

const stepMs = 250

setInterval(() => nowMs.value = performance.now(), stepMs)
