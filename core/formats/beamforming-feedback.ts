/**
 * Beamforming feedback: the compressed beamforming reports in a network capture of a receiver in monitor mode.
 *
 * Owns the 802.11 frame around a report, with and without a radiotap header. Boundary: `beamforming-report.ts` reads the report,
 * `pcap.ts` the capture.
 *
 * A report becomes a frame of [access point's antenna][stream][subcarrier], whose transmitter is the station that measured it. It is V,
 * the directions of the channel and not the channel: it has no absolute phase, delay or strength. So it supports
 * presence, motion and breathing, but not locations.
 */
import type { CsiFrame } from "./batch-builder.ts"
import type { RadioLayout } from "./csi-batch.ts"
import {
  type BeamformingReport,
  BeamformingReportReader,
  isBeamformingReport,
  type ReportKind,
} from "./beamforming-report.ts"
import { MacNames } from "./mac-address.ts"
import { type PacketReader, PcapReader, peekBytes } from "./pcap.ts"
import { radiotapFrameAt, type RadiotapHeader, readRadiotap } from "./radiotap.ts"
import { beginsWithRecords, type Refusal } from "./record-stream.ts"
import { blockCenterHz } from "./wifi-channel.ts"

const plainLinkType = 105
const radiotapLinkType = 127

/** First bytes of an action frame's header, with and without acknowledgement. */
const actionFrame = 0xd0
const actionNoAckFrame = 0xe0
const protectedFlag = 0x40
const htControlFlag = 0x80
const macHeaderBytes = 24
const htControlBytes = 4
const transmitterAt = 10

/** Start of the report's body in the 802.11 frame `bytes[at..end)`; -1 for other frames. */
const reportAt = (bytes: Uint8Array, at: number, end: number): number => {
  if (end - at < macHeaderBytes + 2) return -1
  const flags = bytes[at + 1]!
  if ((bytes[at] !== actionFrame && bytes[at] !== actionNoAckFrame) || (flags & protectedFlag) !== 0) return -1
  const body = at + macHeaderBytes + ((flags & htControlFlag) === 0 ? 0 : htControlBytes)
  return end - body >= 2 && isBeamformingReport(bytes[body]!, bytes[body + 1]!) ? body : -1
}

const noHeader: Omit<RadiotapHeader, "frameAt"> = {
  checksumBytes: 0,
  isDamaged: false,
  rssiDbm: 0,
  noiseFloorDbm: 0,
  channelHz: 0,
}

/** Reads the reports of one receiver. */
export class BeamformingFeedbackReader implements PacketReader {
  readonly hardware = "IEEE 802.11ac/ax beamforming feedback"
  readonly #reports = new BeamformingReportReader()
  readonly #names = new MacNames()
  /** The layout of the last report, and its inputs. */
  #layout: RadioLayout | null = null
  #layoutKind: ReportKind | null = null
  /** Whether an interface of the capture was in monitor mode. */
  sawMonitor = false

  readsLinkType(linkType: number): boolean {
    const reads = linkType === plainLinkType || linkType === radiotapLinkType
    if (reads) this.sawMonitor = true
    return reads
  }

  contentAt(linkType: number, bytes: Uint8Array, at: number, end: number): number {
    // Reads the peeked bytes only, because later ones may not be available.
    const peekEnd = Math.min(end, at + peekBytes)
    const frame = linkType === radiotapLinkType ? radiotapFrameAt(bytes, at, peekEnd) : at
    return this.readsLinkType(linkType) && frame !== null && reportAt(bytes, frame, peekEnd) >= 0 ? at : -1
  }

  read(
    linkType: number,
    bytes: Uint8Array,
    at: number,
    end: number,
    timestampUs: number,
    add: (frame: CsiFrame) => void,
  ): Refusal | null {
    const header = linkType === radiotapLinkType ? readRadiotap(bytes, at, end)! : { ...noHeader, frameAt: at }
    if (header.isDamaged) return { reason: "bad-value", message: "the receiver marks the frame as damaged" }
    const body = reportAt(bytes, header.frameAt, end)
    const report = this.#reports.read(bytes, body, end - header.checksumBytes)
    if ("reason" in report) return report
    add({
      layout: this.#layoutOf(report, header.channelHz),
      timestampUs,
      sequence: 0,
      rssiDbm: header.rssiDbm,
      noiseFloorDbm: header.noiseFloorDbm,
      transmitterId: this.#names.nameAt(bytes, header.frameAt + transmitterAt),
      csi: report.matrices,
    })
    return null
  }

  finish(): null {
    return null
  }

  #layoutOf({ kind }: BeamformingReport, channelHz: number): RadioLayout {
    const centerFrequencyHz = blockCenterHz(channelHz, kind.bandwidthHz)
    if (this.#layout === null || this.#layoutKind !== kind || this.#layout.centerFrequencyHz !== centerFrequencyHz) {
      this.#layoutKind = kind
      this.#layout = {
        format: "beamforming-feedback",
        receiveAntennas: kind.rows,
        transmitAntennas: kind.columns,
        subcarrierIndices: kind.subcarrierIndices,
        subcarrierSpacingHz: kind.subcarrierSpacingHz,
        centerFrequencyHz,
        bandwidthHz: kind.bandwidthHz,
      }
    }
    return this.#layout
  }
}

/** Whether a capture begins like one of a receiver in monitor mode, or has a report among its first packets. */
export const looksLikeBeamformingFeedback = (head: Uint8Array): boolean => {
  const reader = new BeamformingFeedbackReader()
  return beginsWithRecords(new PcapReader(reader), head) || reader.sawMonitor
}
