/**
 * What a room's card says, from its newest frame and the frame's age. Pure.
 *
 * The ladder of absence: no frame yet, silent, late; then what the frame itself says. Without a connection nothing is known of the room,
 * so the sentence is about the connection. A room is never drawn from a frame that is stale.
 */
import type { Received } from "./room.ts"
import { secondText } from "./time-text.ts"

/** Milliseconds of age from which the age is shown, the picture is grey, and persons are removed. */
export const ageShownMs = 1_000
export const greyMs = 3_000
export const removedMs = 10_000

type RoomState = "waiting" | "stale" | "late" | "unknown" | "absent" | "present" | "persons"

interface RoomSummary {
  readonly state: RoomState
  /** One sentence. */
  readonly sentence: string
  /** Why there is no more than that; null when there is nothing to add. */
  readonly reason: string | null
  readonly ageMs: number | null
}

/** Age of a frame now: as the service judged it when it sent the frame, and what has passed here since. */
export const ageMsOf = ({ frame, receivedAtMs }: Received, nowMs: number): number =>
  frame.data.metadata.provenance.age_ms + Math.max(0, nowMs - receivedAtMs)

const secondsText = (ms: number): string =>
  ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`

const count = (persons: number): string => persons === 1 ? "One person" : `${persons} persons`

const activities = (received: Received): string =>
  [...new Set(received.frame.data.persons.map(({ activity }) => activity).filter((one) => one !== "unknown"))].join(
    ", ",
  )

const moving = (motion: number | null): string =>
  motion === null ? "" : motion >= 0.3 ? ", moving" : motion >= 0.05 ? ", moving little" : ", still"

/** Certainty as a reader wants it: two digits, never 1. */
export const sureText = (confidence: number): string => Math.min(0.99, confidence).toFixed(2)

/** What a frame says, whatever its age. */
export const frameSummary = (received: Received): Pick<RoomSummary, "state" | "sentence" | "reason"> => {
  const { metadata, persons } = received.frame.data
  const { confidence, present, reason } = metadata.presence
  if (persons.length > 0) {
    const doing = activities(received)
    return { state: "persons", sentence: `${count(persons.length)}${doing === "" ? "" : `: ${doing}`}`, reason: null }
  }
  if (present === null) return { state: "unknown", sentence: "Presence is not known", reason }
  if (!present) return { state: "absent", sentence: `Empty, sure ${sureText(confidence)}`, reason }
  return {
    state: "present",
    sentence: `Somebody is here${moving(metadata.motion)}, sure ${sureText(confidence)}`,
    reason: metadata.persons_reason,
  }
}

/** What the reader has besides the frames. */
interface Reader {
  readonly isConnected: boolean
  /** Whether the reader may see the health page, and can go there. */
  readonly hasHealthPage: boolean
}

/** The summary of a room; `received` null: no frame has come. */
export const roomSummary = (
  received: Received | null,
  nowMs: number,
  { hasHealthPage, isConnected }: Reader,
): RoomSummary => {
  if (received === null) {
    return {
      state: "waiting",
      sentence: "No frame yet",
      reason: isConnected
        ? "The room has sent nothing since this page opened."
        : "This page is not connected to the service.",
      ageMs: null,
    }
  }
  const ageMs = ageMsOf(received, nowMs)
  if (ageMs >= greyMs && !isConnected) {
    return {
      state: ageMs >= removedMs ? "stale" : "late",
      sentence: `Not connected to the service since ${secondText(received.eventMs)}`,
      reason: null,
      ageMs,
    }
  }
  if (ageMs >= removedMs) {
    return {
      state: "stale",
      sentence: `Silent for ${secondsText(ageMs)}`,
      reason: `Last heard ${secondText(received.eventMs)}.${hasHealthPage ? " The health page says why." : ""}`,
      ageMs,
    }
  }
  if (ageMs >= greyMs) {
    return { state: "late", sentence: `Late by ${secondsText(ageMs)}`, reason: frameSummary(received).sentence, ageMs }
  }
  return { ...frameSummary(received), ageMs }
}
