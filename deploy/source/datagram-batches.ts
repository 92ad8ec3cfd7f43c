/**
 * Datagrams of sensing nodes as CSI batches, for a recording: the decoders of the service without its admission.
 *
 * Invariant: at most `framesMax` frames wait; further ones are counted and dropped.
 */
import { BatchBuilder } from "../../core/formats/batch-builder.ts"
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import { isNexmonPayload } from "../../core/formats/nexmon-payload.ts"
import { readSigned } from "../../core/identity/signed-datagram.ts"
import { nexmonDecoder, ruviewDecoder } from "../../gateways/datagrams/decoders.ts"
import type { LiveBatches } from "./live-batches.ts"

const framesMax = 20_000
const routersMax = 64

/** The decoded datagrams since the last `take`. */
export class DatagramBatches implements LiveBatches {
  readonly #decoders = { ruview: ruviewDecoder(), nexmon: nexmonDecoder() }
  readonly #builders = new Map<string, BatchBuilder>()
  /** Frames of each router so far. */
  readonly frames = new Map<string, number>()
  /** Dropped datagrams by reason. */
  readonly dropped = new Map<string, number>()
  #waiting = 0

  /** Decodes a datagram of this sender; it may have a signature, which is not verified. */
  add(bytes: Uint8Array, sender: string, receivedUs: number): void {
    const datagram = readSigned(bytes)?.datagram ?? bytes
    const decode = isNexmonPayload(datagram) ? this.#decoders.nexmon : this.#decoders.ruview
    const decoded = decode({ bytes: datagram, sender, signedBy: null, receivedUs })
    if ("reason" in decoded) return this.#drop(decoded.reason)
    if (!("frames" in decoded)) return
    const { frames, routerId } = decoded
    if (this.#waiting + frames.length > framesMax) return this.#drop("disk-too-slow")
    const builder = this.#builderOf(routerId)
    if (builder === null) return this.#drop("too-many-routers")
    for (const frame of frames) builder.add(frame)
    this.#waiting += frames.length
    this.frames.set(routerId, (this.frames.get(routerId) ?? 0) + frames.length)
  }

  /** Removes and returns the batches. */
  take(): ReadonlyArray<CsiBatch> {
    this.#waiting = 0
    return [...this.#builders.values()].flatMap((builder) => builder.take())
  }

  lossText(): ReadonlyArray<string> {
    return [...this.dropped].map(([reason, n]) => `${n} datagrams were dropped: ${reason}`)
  }

  #builderOf(routerId: string): BatchBuilder | null {
    const known = this.#builders.get(routerId)
    if (known !== undefined) return known
    if (this.#builders.size >= routersMax) return null
    const builder = new BatchBuilder({ routerId, source: "live" })
    this.#builders.set(routerId, builder)
    return builder
  }

  #drop(reason: string): void {
    this.dropped.set(reason, (this.dropped.get(reason) ?? 0) + 1)
  }
}
