/** Calibration status of a router, over all its links. */
import { isTwoSided } from "./calibration.ts"
import type { Reference } from "./reference.ts"

/** Calibration status of a router. */
export interface CalibrationStatus {
  /** Number of calibrations of the empty room; 0 before the first. */
  readonly version: number
  /** Event time of the latest calibration, microseconds since the Unix epoch; null before the first. */
  readonly takenAtUs: number | null
  /** Active links, and the number of them with a calibration and with both of its sides. */
  readonly links: number
  readonly calibratedLinks: number
  readonly twoSidedLinks: number
  /** Why the calibration is no longer valid; null while it is. */
  readonly stale: string | null
}

/** The data that the status needs of an active link. */
interface CalibratedLink {
  readonly reference: Reference | null
  readonly stale: string | null
}

/** The status over the active links, and the stored references that none of them uses. */
export const calibrationStatusOf = (
  links: ReadonlyArray<CalibratedLink>,
  stored: ReadonlyArray<Reference>,
): CalibrationStatus => {
  const calibrated = links.filter(({ reference }) => reference?.calibration != null)
  const known = [...stored, ...calibrated.map(({ reference }) => reference!)]
  const latest = known.reduce<{ readonly version: number; readonly takenAtUs: number | null }>(
    (latest, { calibration }) => calibration !== null && calibration.version > latest.version ? calibration : latest,
    { version: 0, takenAtUs: null },
  )
  const isStored = stored.some(({ calibration }) => calibration !== null)
  const elsewhere = links.length > 0 && isStored && calibrated.length === 0
    ? "the router is on another channel, or receives other stations, than when it was calibrated: calibrate again"
    : null
  return {
    version: latest.version,
    takenAtUs: latest.takenAtUs,
    links: links.length,
    calibratedLinks: calibrated.length,
    twoSidedLinks: calibrated.filter(({ reference }) => isTwoSided(reference!.calibration!)).length,
    stale: calibrated.find(({ stale }) => stale !== null)?.stale ?? elsewhere,
  }
}
