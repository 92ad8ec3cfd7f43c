/**
 * Calibration of an estimator's statements about its own errors: confidence and sigma of the keypoints of matched persons.
 *
 * The confidence of a keypoint means P(error < 0.3 m); its expected calibration error is the mean over ten bins of confidence of
 * |mean confidence - share of hits|. The sigma is a standard deviation per axis of the position relative to the pelvis. Its bins show whether
 * keypoints with a larger sigma have larger errors (Kendall's tau over the bins), and whether errors are as large as sigma predicts (rms
 * ratio, 1 is correct).
 */
import { type Figure, none, ratio } from "./figure.ts"
import { type EstimatedPerson, joints, pelvisOf, type TruePerson } from "./record.ts"

const toleranceM = 0.3
const confidenceBins = 10
/** Lower edges of the bins of sigma, metres. */
const sigmaEdgesM = [0, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6] as const
/** Smallest number of keypoints in a bin of sigma: one person for two seconds. */
const binMin = 20 * joints

export interface CalibrationTally {
  /** [bin][keypoints, sum of confidence, hits] */
  readonly confidence: Float64Array
  /** [bin][keypoints, sum of 3 sigma^2, sum of squared errors], metres^2 */
  readonly sigma: Float64Array
}

export const emptyCalibrationTally = (): CalibrationTally => ({
  confidence: new Float64Array(3 * confidenceBins),
  sigma: new Float64Array(3 * sigmaEdgesM.length),
})

/** Counts a matched person; a person without a stated certainty is skipped. */
export const addCalibration = (tally: CalibrationTally, truth: TruePerson, estimate: EstimatedPerson): void => {
  if (estimate.certainty === null) return
  const { confidence, sigmaM } = estimate.certainty
  const [estimated, actual] = [pelvisOf(estimate.keypoints), pelvisOf(truth.keypoints)]
  const pelvisErrorM = estimated.map((at, axis) => at - actual[axis]!)
  for (let joint = 0; joint < joints; joint++) {
    let [squared, relative] = [0, 0]
    for (let axis = 0; axis < 3; axis++) {
      const errorM = estimate.keypoints[3 * joint + axis]! - truth.keypoints[3 * joint + axis]!
      squared += errorM ** 2
      relative += (errorM - pelvisErrorM[axis]!) ** 2
    }
    const sure = Math.max(0, Math.min(1, confidence[joint]!))
    const bin = 3 * Math.min(confidenceBins - 1, Math.floor(sure * confidenceBins))
    tally.confidence[bin]!++
    tally.confidence[bin + 1]! += sure
    if (squared < toleranceM * toleranceM) tally.confidence[bin + 2]!++
    const spread = 3 * Math.max(0, sigmaEdgesM.findLastIndex((edge) => sigmaM[joint]! >= edge))
    tally.sigma[spread]!++
    tally.sigma[spread + 1]! += 3 * sigmaM[joint]! ** 2
    tally.sigma[spread + 2]! += relative
  }
}

/** Rms error predicted by sigma and actual rms error, metres, for each bin with enough keypoints. */
export const sigmaCurve = (
  { sigma }: CalibrationTally,
): ReadonlyArray<{ readonly predictedM: number; readonly errorM: number; readonly keypoints: number }> =>
  sigmaEdgesM.flatMap((_, bin) => {
    const [keypoints, predicted, squared] = sigma.subarray(3 * bin, 3 * bin + 3)
    if (keypoints! < binMin) return []
    return [{
      predictedM: Math.sqrt(predicted! / keypoints!),
      errorM: Math.sqrt(squared! / keypoints!),
      keypoints: keypoints!,
    }]
  })

const noCertainty = "No keypoint of a matched person has a stated certainty."

export const calibrationFigures = (tally: CalibrationTally): Readonly<Record<string, Figure>> => {
  let [keypoints, gap, predicted, squared] = [0, 0, 0, 0]
  for (let bin = 0; bin < confidenceBins; bin++) {
    keypoints += tally.confidence[3 * bin]!
    gap += Math.abs(tally.confidence[3 * bin + 1]! - tally.confidence[3 * bin + 2]!)
  }
  for (let bin = 0; bin < sigmaEdgesM.length; bin++) {
    predicted += tally.sigma[3 * bin + 1]!
    squared += tally.sigma[3 * bin + 2]!
  }
  const curve = sigmaCurve(tally)
  let pairs = 0
  let order = 0
  for (const [i, one] of curve.entries()) {
    for (const other of curve.slice(i + 1)) {
      pairs++
      order += Math.sign(other.errorM - one.errorM)
    }
  }
  return {
    expected_calibration_error: ratio(gap, keypoints, noCertainty),
    sigma_ratio: predicted > 0 ? { value: Math.sqrt(squared / predicted) } : none(noCertainty),
    sigma_monotonicity: ratio(
      order,
      pairs,
      keypoints === 0 ? noCertainty : `Fewer than two bins of sigma have ${binMin} keypoints.`,
    ),
  }
}
