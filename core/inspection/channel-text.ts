/** The channel of a recording in words, for its report and its picture. */
import type { RadioLayout } from "../formats/csi-batch.ts"

/** @param before precedes a known frequency */
export const channelText = (
  { bandwidthHz, centerFrequencyHz }: Pick<RadioLayout, "bandwidthHz" | "centerFrequencyHz">,
  before = "",
): string => {
  const frequency = centerFrequencyHz === 0 ? "centre frequency unknown" : `${before}${centerFrequencyHz / 1e6} MHz`
  return `${frequency}, ${bandwidthHz / 1e6} MHz wide`
}
