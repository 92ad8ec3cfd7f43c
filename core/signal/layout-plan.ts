/**
 * The layout plan: the data that all links of a router share while its radio layout is unchanged, and the reading of a
 * frame by it.
 */
import type { RadioLayout, Samples } from "../formats/csi-batch.ts"
import { type AlignmentPlan, createAlignmentPlan } from "./alignment.ts"
import { createRatioPlan, type RatioPlan } from "./csi-ratio.ts"
import { createDecimation, type Decimation } from "./decimation.ts"
import { createToneMap, mapTones, type ToneMap } from "./tone-map.ts"

/** Maximum number of powers in the motion statistic; wider channels use every n-th subcarrier. */
const motionValuesMax = 256

/** The data that all links of a router share while its layout is unchanged. */
export interface LayoutPlan {
  /** The layout of the records, and the layout reduced to the used tones. */
  readonly recorded: RadioLayout
  readonly layout: RadioLayout
  readonly toneMap: ToneMap
  readonly alignment: AlignmentPlan
  readonly decimation: Decimation
  readonly ratio: RatioPlan
  readonly motionStride: number
  /** Scratch, one frame each. */
  readonly frame: Float32Array
  readonly response: Float32Array
  readonly powers: Float32Array
}

export const createLayoutPlan = (recorded: RadioLayout): LayoutPlan => {
  const toneMap = createToneMap(recorded)
  const { layout } = toneMap
  const rows = layout.receiveAntennas * layout.transmitAntennas
  const tones = layout.subcarrierIndices.length
  const motionStride = Math.ceil(rows * tones / motionValuesMax)
  return {
    recorded,
    layout,
    toneMap,
    alignment: createAlignmentPlan(rows, layout.subcarrierIndices),
    decimation: createDecimation(layout),
    ratio: createRatioPlan(layout),
    motionStride,
    frame: new Float32Array(2 * rows * tones),
    response: new Float32Array(2 * rows * tones),
    powers: new Float32Array(rows * Math.ceil(tones / motionStride)),
  }
}

/**
 * Copies the used tones of the recorded frame at value `at` of `csi` into the plan's frame. Returns its power, and
 * fills the plan's powers with those of the statistic's subcarriers, divided by their mean.
 */
export const readFrame = (plan: LayoutPlan, csi: Samples, at: number): number => {
  mapTones(plan.toneMap, plan.recorded.subcarrierIndices.length, csi, at, plan.frame)
  const { alignment: { rows, tones }, frame, motionStride, powers } = plan
  let total = 0
  let chosen = 0
  let n = 0
  for (let row = 0, v = 0; row < rows; row++) {
    for (let tone = 0; tone < tones; tone++, v += 2) {
      const power = frame[v]! * frame[v]! + frame[v + 1]! * frame[v + 1]!
      total += power
      if (tone % motionStride !== 0) continue
      powers[n++] = power
      chosen += power
    }
  }
  const scale = chosen > 0 ? n / chosen : 0
  for (let i = 0; i < n; i++) powers[i]! *= scale
  return total
}
