/** Calibration as the set-up page follows it: what to do next and how far it is. Pure. */

/** How the calibration of one board stands; the members of `GET /system/calibration` that are used. */
export interface BoardCalibration {
  readonly router_id: string
  readonly environment_id: string
  readonly state: "idle" | "calibrating" | "streaming" | "stale" | "lost"
  readonly version: number
  readonly calibration_timestamp: string | null
  readonly links: number
  readonly calibrated_links: number
  readonly two_sided_links: number
  readonly stale_reason: string | null
  readonly running: {
    readonly room: "empty" | "occupied"
    readonly progress: number
    readonly moving_share: number | null
  } | null
}

type CalibrationStep =
  | { readonly step: "none"; readonly advice: string }
  | { readonly step: "empty-done" | "both-done"; readonly advice: string }
  | { readonly step: "stale"; readonly advice: string }
  | {
    readonly step: "running"
    readonly room: "empty" | "occupied"
    readonly progress: number
    readonly advice: string
  }

/** Above this share of moving time, a calibration of the empty room should be repeated. */
const movingShareMax = 0.05

const runningAdvice = (room: "empty" | "occupied", movingShare: number): string => {
  if (room === "occupied") return "Sit, stand and walk in the room until it is done."
  return movingShare > movingShareMax
    ? `Something moved for ${Math.round(100 * movingShare)} % of the time. Leave the room and repeat the calibration.`
    : "Stay out of the room until it is done."
}

const heardStep = (boards: ReadonlyArray<BoardCalibration>): CalibrationStep => {
  const running = boards.flatMap(({ running }) => running === null ? [] : [running])
  if (running.length > 0) {
    const room = running[0]!.room
    const progress = Math.min(...running.map((one) => one.progress))
    return {
      step: "running",
      room,
      progress,
      advice: runningAdvice(room, Math.max(...running.map(({ moving_share }) => moving_share ?? 0))),
    }
  }
  const stale = boards.find(({ stale_reason }) => stale_reason !== null)
  if (stale !== undefined) {
    return {
      step: "stale",
      advice: `The calibration no longer holds (${stale.router_id}: ${stale.stale_reason}). Repeat it.`,
    }
  }
  if (boards.some(({ calibrated_links }) => calibrated_links === 0)) {
    return { step: "none", advice: "Calibrate the empty room: leave it for a minute." }
  }
  return boards.every(({ links, two_sided_links }) => two_sided_links >= links)
    ? { step: "both-done", advice: "Both sides are calibrated." }
    : {
      step: "empty-done",
      advice: "The empty room is calibrated. Calibrate it occupied as well: it makes presence surer.",
    }
}

/** A countdown that ended longer ago than this was not running: the machine slept, or its browser had stopped the page. */
const missedMs = 3_000

/** A countdown: its seconds, or that its work begins, or that its time was missed, so that nobody knows who is in the room now. */
export const countdownAt = (atMs: number, nowMs: number): number | "due" | "missed" =>
  nowMs < atMs ? Math.ceil((atMs - nowMs) / 1000) : nowMs < atMs + missedMs ? "due" : "missed"

/** Whether a board has not sent yet, or sends no more. Its calibration runs by packets, so nobody can wait for it. */
export const isSilent = ({ state }: BoardCalibration): boolean => state === "idle" || state === "lost"

/** The state of a room's calibration from those of its boards. Boards that send nothing are named and left out. */
export const calibrationStep = (boards: ReadonlyArray<BoardCalibration>): CalibrationStep => {
  if (boards.length === 0) return { step: "none", advice: "No board is enrolled in this room." }
  const heard = boards.filter((board) => !isSilent(board))
  if (heard.length === 0) return { step: "none", advice: "No board of this room sends. See what their rows say." }
  const step = heardStep(heard)
  const names = boards.filter(isSilent).map(({ router_id }) => router_id).join(", ")
  return names === "" ? step : { ...step, advice: `${step.advice} Left out, because nothing comes from it: ${names}.` }
}
