/** Wi-Fi channels and the legacy training field, shared by the decoders. */

/** Spacing of the subcarriers of 802.11a/g/n/ac. */
export const subcarrierSpacing11nHz = 312_500

/** Bins of the legacy long training field of a 20 MHz channel, guards and centre included: -32..31. */
export const legacyBins = Int16Array.from({ length: 64 }, (_, i) => i - 32)

/** Centre of a 20 MHz channel (IEEE 802.11-2020, 17.3.8.4 and annex E); 0 for an unknown number. */
export const channelCenterHz = (channel: number): number => {
  if (channel >= 1 && channel <= 13) return (2407 + 5 * channel) * 1e6
  if (channel === 14) return 2484e6
  if (channel >= 32 && channel <= 177) return (5000 + 5 * channel) * 1e6
  return 0
}

/** Runs of adjacent 20 MHz channels that wider channels divide from the lowest one up (IEEE 802.11-2020 and 802.11ax-2021, annex E), MHz. */
const dividedRuns = [
  { from: 5170, to: 5330 },
  { from: 5490, to: 5730 },
  { from: 5735, to: 5895 },
  { from: 5945, to: 7105 },
] as const

/**
 * Centre of the channel of this bandwidth that contains the 20 MHz channel around `primaryHz`; 0 if there is none, or several. At 2.4 GHz the
 * second half of a 40 MHz channel may be on either side.
 */
export const blockCenterHz = (primaryHz: number, bandwidthHz: number): number => {
  if (bandwidthHz === 20e6) return primaryHz
  const [primary, width] = [primaryHz / 1e6, bandwidthHz / 1e6]
  const run = dividedRuns.find(({ from, to }) => primary > from && primary < to)
  if (run === undefined || (primary - run.from) % 20 !== 10) return 0
  const start = run.from + Math.floor((primary - run.from) / width) * width
  return start + width > run.to ? 0 : (start + width / 2) * 1e6
}
