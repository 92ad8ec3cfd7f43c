/** CRC-32 (IEEE 802.3, reflected polynomial 0xEDB88320), as zip archives and Wi-Fi devices use it. */

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 0 ? crc >>> 1 : (crc >>> 1) ^ 0xedb88320
  return crc
})

/** The checksum of `bytes`, 0 to 2^32 - 1. */
export const crc32 = (bytes: Uint8Array): number => {
  let crc = -1
  for (let i = 0; i < bytes.length; i++) crc = (crc >>> 8) ^ table[(crc ^ bytes[i]!) & 0xff]!
  return ~crc >>> 0
}
