/** Wi-Fi channel numbers and the legacy training field, shared by the decoders. */

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
