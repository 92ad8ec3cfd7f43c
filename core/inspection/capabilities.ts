/**
 * The uses that a capture supports, judged from its inspection: for each use a verdict, with its basis or with what is missing.
 *
 * Boundary: the inspection contains the results; this file states whether the capture is sufficient for a result.
 */
import type { RadioLayout } from "../formats/csi-batch.ts"
import { antennasMin, linksMin } from "../imaging/matched-field.ts"
import { speedOfLightMps } from "../math/speed-of-light.ts"
import { fastWindowS } from "../vitals/breathing.ts"
import { unambiguousSpeedMps } from "./doppler-spectrogram.ts"
import { type Inspection, linkBurstRateHz, linkRateHz } from "./inspector.ts"

interface Support {
  readonly use: string
  readonly supported: "yes" | "partly" | "no"
  readonly reason: string
}

/** Why uses that need times are not supported. */
const noTime = "the frames carry no time, or there is only one"

/** Maximum speed of a walker's feet. */
const limbSpeedMps = 4
const yes = (use: string, reason: string): Support => ({ use, supported: "yes", reason })
const no = (use: string, reason: string): Support => ({ use, supported: "no", reason })

const presenceSupport = ({ presence }: Inspection): Support => {
  const use = "presence, motion"
  const { answered, present, reason } = presence
  if (answered === 0) return no(use, reason ?? "the signal does not say")
  const time = `answered for ${(100 * answered).toFixed(0)} % of the time`
  // The answers of the hops do not add up to one of the capture.
  return present === null ? { use, supported: "partly", reason: `${time}, but ${reason}` } : yes(use, time)
}

const speed = (inspection: Inspection, { centerFrequencyHz }: RadioLayout): Support => {
  const use = "speed (Doppler)"
  const rateHz = linkBurstRateHz(inspection)
  if (rateHz === null) return no(use, noTime)
  if (centerFrequencyHz === 0) {
    return no(use, "the centre frequency is unknown, so that a shift in Hz has no speed")
  }
  const metresPerSecond = unambiguousSpeedMps(rateHz, centerFrequencyHz)
  const wantedHz = 4 * limbSpeedMps * centerFrequencyHz / speedOfLightMps
  const range = `speeds up to ${metresPerSecond.toFixed(1)} m/s are unambiguous`
  return metresPerSecond >= limbSpeedMps ? yes(use, range) : no(
    use,
    `only ${range}; legs reach ${limbSpeedMps} m/s, which takes ${wantedHz.toFixed(0)} packets/s on this channel`,
  )
}

const breathing = (inspection: Inspection): Support => {
  const use = "breathing, heart rate"
  const rateHz = linkRateHz(inspection)
  const { breathingWindows: { readable, reason }, timing: { durationS } } = inspection
  if (durationS === null || rateHz === null) return no(use, noTime)
  if (durationS < fastWindowS) {
    return no(use, `${durationS.toFixed(1)} s are too short: ${fastWindowS} s are needed`)
  }
  const rate = `${durationS.toFixed(0)} s at ${rateHz.toFixed(1)} packets/s of one link`
  return readable === 0
    ? no(use, `${rate}: ${reason ?? "no window of the link is filled"}`)
    : yes(use, `${rate}; ${(100 * readable).toFixed(0)} % of its windows can be read`)
}

/** Why uses that need the channel's phase over antennas and subcarriers are not supported; null when the capture has that phase. */
export const withoutPhase = ({ amplitudeOnly }: Inspection, { format }: RadioLayout): string | null =>
  amplitudeOnly
    ? "the frames have amplitudes alone, without a phase"
    : format === "beamforming-feedback"
    ? "feedback holds the channel's directions alone: no delay and no common phase"
    : null

const location = (inspection: Inspection, layout: RadioLayout): Support => {
  const { links } = inspection
  const { centerFrequencyHz, receiveAntennas } = layout
  const phase = withoutPhase(inspection, layout)
  const missing = [
    ...(phase === null ? [] : [`a phase (${phase})`]),
    ...(centerFrequencyHz > 0 ? [] : ["a known centre frequency"]),
    ...(links < linksMin ? [`${linksMin} links (here ${links})`] : []),
    ...(receiveAntennas < antennasMin ? [`${antennasMin} receive antennas (here ${receiveAntennas})`] : []),
    "the positions of both ends of each link and calibrated antennas, which a site file gives and no capture holds",
  ]
  return no("location, count", `needs ${missing.join("; ")}`)
}

const angle = (inspection: Inspection, layout: RadioLayout): Support => {
  const use = "angle"
  const phase = withoutPhase(inspection, layout)
  const { receiveAntennas } = layout
  if (phase !== null) return no(use, phase)
  return receiveAntennas < antennasMin
    ? no(use, `needs ${antennasMin} receive antennas (here ${receiveAntennas})`)
    : yes(use, `${receiveAntennas} receive antennas, once their phases are calibrated`)
}

const delay = (inspection: Inspection, layout: RadioLayout): Support => {
  const use = "delay"
  const phase = withoutPhase(inspection, layout)
  const { bandwidthHz, subcarrierIndices } = layout
  if (phase !== null) return no(use, phase)
  return subcarrierIndices.length < 2 || !(bandwidthHz > 0)
    ? no(use, "needs a known bandwidth and 2 subcarriers")
    : yes(use, `paths can be separated from ${(speedOfLightMps / bandwidthHz).toFixed(1)} m of difference in length`)
}

/** The uses of a capture, by its commonest layout. */
export const supportOf = (inspection: Inspection): ReadonlyArray<Support> => {
  const layout = inspection.layouts[0]?.layout
  if (layout === undefined) return []
  return [
    presenceSupport(inspection),
    speed(inspection, layout),
    breathing(inspection),
    location(inspection, layout),
    angle(inspection, layout),
    delay(inspection, layout),
  ]
}
