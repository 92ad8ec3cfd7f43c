/** CSI datagrams of RuView nodes, for tests of what carries them: one antenna, 64 bins, 2437 MHz. */

const headerBytes = 20

/** A datagram of one antenna without values, and a view of it. */
export const ruviewHeader = (
  { bins, mhz, nodeId, sequence }: {
    readonly bins: number
    readonly mhz: number
    readonly nodeId: number
    readonly sequence: number
  },
): { readonly bytes: Uint8Array; readonly view: DataView } => {
  const bytes = new Uint8Array(headerBytes + 2 * bins)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, 0xc5110001, true)
  view.setUint8(4, nodeId)
  view.setUint8(5, 1)
  view.setUint16(6, bins, true)
  view.setUint32(8, mhz, true)
  view.setUint32(12, sequence, true)
  return { bytes, view }
}

/** @param valueAt the byte at a position of the datagram, from the first value on */
export const ruviewDatagram = (
  nodeId: number,
  sequence: number,
  valueAt = (position: number): number => 20 + position % 7,
): Uint8Array => {
  const { bytes, view } = ruviewHeader({ bins: 64, mhz: 2437, nodeId, sequence })
  view.setInt8(16, -48)
  view.setInt8(17, -90)
  for (let i = headerBytes; i < bytes.length; i++) bytes[i] = valueAt(i)
  return bytes
}
