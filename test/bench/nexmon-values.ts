/**
 * The values of Nexmon payloads alone: what the innermost loop of the decoder costs, beside a copy of the same values.
 *
 * Both take payload by payload into a few rows that stay in the cache, as the decoder does; neither finds the payloads.
 */
import { MacNames } from "../../core/formats/mac-address.ts"
import { type NexmonPayload, readNexmonPayload, readNexmonTones } from "../../core/formats/nexmon-payload.ts"
import { nexmonPort } from "../../core/formats/nexmon.ts"
import { PcapReader } from "../../core/formats/pcap.ts"
import { udpPayloadAt, udpPayloadEnd } from "../../core/formats/udp-packet.ts"
import { type Contender, inProcess } from "./harness.ts"

const rows = 16

/** The payloads of a capture. */
const payloadsOf = (capture: Uint8Array): ReadonlyArray<NexmonPayload> => {
  const names = new MacNames()
  const payloads: Array<NexmonPayload> = []
  const reader = new PcapReader({
    readsLinkType: () => true,
    contentAt: (linkType, bytes, at, end) => udpPayloadAt(linkType, bytes, at, end, nexmonPort),
    read: (_linkType, bytes, from, end) => {
      const payload = readNexmonPayload(bytes, from, udpPayloadEnd(bytes, from, end), names)
      if (!("reason" in payload)) payloads.push(payload)
      return null
    },
    finish: () => null,
    hardware: null,
  })
  for (let at = 0; at < capture.length;) {
    const step = reader.take(capture, at, capture.length, () => {})
    if (step.kind === "need-more" || step.kind === "lost") break
    at += step.bytes
  }
  return payloads
}

/** Bytes of all values, and the contenders "values" and "copy of values". */
export const nexmonValues = (
  capture: Uint8Array,
): { readonly bytes: number; readonly contenders: ReadonlyArray<Contender> } => {
  const payloads = payloadsOf(capture)
  const { tones } = payloads[0]!
  const out = new Int16Array(2 * tones * rows + tones)
  const copy = new Uint8Array(4 * tones * rows)
  return {
    bytes: 4 * tones * payloads.length,
    contenders: [
      inProcess("values", () => {
        payloads.forEach((payload, i) => readNexmonTones(payload, capture, out, 2 * tones * (i % rows)))
      }),
      inProcess("copy of values", () => {
        payloads.forEach(({ valuesAt }, i) => {
          copy.set(capture.subarray(valuesAt, valuesAt + 4 * tones), 4 * tones * (i % rows))
        })
      }),
    ],
  }
}
