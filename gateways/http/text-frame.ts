/**
 * WebSocket frames that are written past `ws`, because many clients get the same bytes (RFC 6455, section 5.2): one unfragmented text
 * message, unmasked as servers send it.
 */

/** FIN and the opcode of text. */
const finalText = 0x81
/** The smallest lengths that are written in two bytes and in eight. */
const twoByteMin = 126
const eightByteMin = 65_536

/** A frame for a payload of this many bytes of UTF-8, to be written at `begin`. */
export const emptyTextFrame = (payloadBytes: number): { readonly frame: Buffer; readonly begin: number } => {
  const begin = payloadBytes < twoByteMin ? 2 : payloadBytes < eightByteMin ? 4 : 10
  const frame = Buffer.allocUnsafe(begin + payloadBytes)
  frame[0] = finalText
  frame[1] = begin === 2 ? payloadBytes : begin === 4 ? twoByteMin : twoByteMin + 1
  if (begin === 4) frame.writeUInt16BE(payloadBytes, 2)
  if (begin === 10) frame.writeBigUInt64BE(BigInt(payloadBytes), 2)
  return { frame, begin }
}
