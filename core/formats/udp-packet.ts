/** UDP in captured packets: finds the payload of an IPv4 datagram after its headers. */

/** Positions of a link header's protocol field and of the content after it. */
interface LinkHeader {
  readonly protocolAt: number
  readonly bytes: number
}

/** By link type: Ethernet, and Linux captures from all interfaces, in two versions. */
const linkHeaders: Readonly<Record<number, LinkHeader>> = {
  1: { protocolAt: 12, bytes: 14 },
  113: { protocolAt: 14, bytes: 16 },
  276: { protocolAt: 0, bytes: 20 },
}

const ipv4 = 0x0800
const vlanTags: ReadonlySet<number> = new Set([0x8100, 0x88a8])
const vlanTagBytes = 4
/** Maximum number of skipped tags of one packet. */
const vlanTagsMax = 2
const udp = 17
const ipHeaderBytesMin = 20
const udpHeaderBytes = 8

/** Whether datagrams after this link header are supported. */
export const isKnownLinkType = (linkType: number): boolean => linkHeaders[linkType] !== undefined

/**
 * Start of the payload of the datagram to `port` in the packet `bytes[at..end)`; -1 for other packets. Of a fragmented datagram
 * only the first part has the header with the port. All headers are within the first 102 bytes.
 */
export const udpPayloadAt = (linkType: number, bytes: Uint8Array, at: number, end: number, port: number): number => {
  const link = linkHeaders[linkType]
  if (link === undefined || end - at < link.bytes + ipHeaderBytesMin) return -1
  let protocol = u16be(bytes, at + link.protocolAt)
  let ip = at + link.bytes
  for (let tags = 0; tags < vlanTagsMax && vlanTags.has(protocol) && end - ip > vlanTagBytes; tags++) {
    protocol = u16be(bytes, ip + 2)
    ip += vlanTagBytes
  }
  if (protocol !== ipv4 || end - ip < ipHeaderBytesMin || bytes[ip]! >> 4 !== 4 || bytes[ip + 9] !== udp) return -1
  const isLaterFragment = (u16be(bytes, ip + 6) & 0x1fff) !== 0
  const start = ip + 4 * (bytes[ip]! & 15)
  if (isLaterFragment || start < ip + ipHeaderBytesMin || end - start < udpHeaderBytes) return -1
  return u16be(bytes, start + 2) === port ? start + udpHeaderBytes : -1
}

/** End of the payload at `payloadAt`: by its header, but not after `end`. Links may add bytes after it. */
export const udpPayloadEnd = (bytes: Uint8Array, payloadAt: number, end: number): number =>
  Math.max(payloadAt, Math.min(end, payloadAt - udpHeaderBytes + u16be(bytes, payloadAt - 4)))

const u16be = (bytes: Uint8Array, at: number): number => (bytes[at]! << 8) | bytes[at + 1]!
