/**
 * Lines of JSON of esp32-csi-server, as fields that other loggers use.
 *
 * Owns what is its own: the legacy training field in base64 (`lltf`), the imaginary part of a value first, always by ascending subcarrier;
 * without its first two bins where the chip's first word is invalid; the packet's 32-bit clock in seconds; the noise floor in quarters of
 * its number. The other training fields are not used (`esp32-lltf.ts`).
 */
import { isPacked, packedBytesOf } from "./table-fields.ts"
import { legacyBins } from "./wifi-channel.ts"

type Fields = Readonly<Record<string, unknown>>

/** The mode of a packet whose legacy field is ascending. */
const ascending = { secondary_channel: 2, sig_mode: 0, cwb: 0, stbc: 0 }

/** The fields of a line; null if it is of another logger. */
export const plainOfServer = ({ lltf, timestamp, ...json }: Fields): Fields | null => {
  if (typeof lltf !== "object" || lltf === null || !("csi" in lltf) || !("sc_ind_start" in lltf)) return null
  if (typeof lltf.csi !== "string" || !isPacked(lltf.csi) || typeof timestamp !== "number") return null
  const bytes = packedBytesOf(lltf.csi)
  const missing = json.first_word_invalid === true ? 2 * legacyBins.length - bytes.length : 0
  const { channel, mac, noise_floor, rssi } = json
  return {
    mac,
    rssi,
    channel,
    ...ascending,
    noise_floor: typeof noise_floor === "number" ? 4 * noise_floor : 0,
    local_timestamp: Math.round(1e6 * timestamp),
    csi: [...new Array<number>(missing === 4 ? missing : 0).fill(0), ...bytes],
  }
}
