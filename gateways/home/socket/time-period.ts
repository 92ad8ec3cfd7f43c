/**
 * Parses durations: `"HH:MM"`, `"HH:MM:SS"`, seconds, or an object of parts that are added. Negative ones are rejected.
 */
import { isObject } from "../server/json.ts"

/** The longest delay of a timer: about 24 days. */
const msMax = 2 ** 31 - 1

const partsMs: Readonly<Record<string, number>> = {
  days: 86_400_000,
  hours: 3_600_000,
  minutes: 60_000,
  seconds: 1_000,
  milliseconds: 1,
}

/** A number, also as text; null if it is negative or not a number. */
const amountOf = (given: unknown): number | null => {
  const amount = typeof given === "string" && /^\d+(\.\d+)?$/.test(given) ? Number(given) : given
  return typeof amount === "number" && Number.isFinite(amount) && amount >= 0 ? amount : null
}

const ofClock = (text: string): number | null => {
  const found = /^(\d+):(\d+)(?::(\d+(?:\.\d+)?))?$/.exec(text)
  if (found === null) return null
  const [, hours, minutes, seconds = "0"] = found
  return Number(hours) * partsMs["hours"]! + Number(minutes) * partsMs["minutes"]! + Number(seconds) * 1_000
}

const ofParts = (parts: Readonly<Record<string, unknown>>): number | null => {
  let ms = 0
  for (const [name, given] of Object.entries(parts)) {
    const amount = amountOf(given)
    const unitMs = Object.hasOwn(partsMs, name) ? partsMs[name]! : null
    if (unitMs === null || amount === null) return null
    ms += amount * unitMs
  }
  return Object.keys(parts).length === 0 ? null : ms
}

/** A duration in milliseconds; null if it is invalid or longer than a timer can wait. */
export const periodMs = (given: unknown): number | null => {
  const seconds = amountOf(given)
  const ms = seconds !== null
    ? seconds * 1_000
    : typeof given === "string"
    ? ofClock(given)
    : isObject(given)
    ? ofParts(given)
    : null
  return ms === null || ms > msMax ? null : Math.round(ms)
}
