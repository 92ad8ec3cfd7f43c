/**
 * The batch builder: gathers single CSI frames into batches that keep the batch's invariants.
 *
 * Owns the boundaries: a batch ends when it is full, when the layout or the type of the samples changes, and when time would step back.
 * Owns the memory of the samples: a batch belongs to its receiver, who may return its memory for later batches.
 */
import { type CsiBatch, type RadioLayout, sameLayout, type Samples, type Source, valuesPerFrame } from "./csi-batch.ts"

/** Maximum number of frames in one batch. */
const batchFramesMax = 256
/** Maximum number of CSI values in one batch, unless a single frame has more: 8 MiB as floats. */
const batchNumbersMax = 2 ** 21
/** Maximum number of returned buffers: as many batches as one call of a decoder usually yields. */
const sparesMax = 4

/** One CSI frame as a decoder reads it, before it joins a batch. Fields as in `CsiBatch`. */
export interface CsiFrame {
  readonly layout: RadioLayout
  readonly timestampUs: number
  readonly sequence: number
  readonly rssiDbm: number
  readonly noiseFloorDbm: number
  readonly transmitterId: string
  /** Interleaved complex [rx][tx][subcarrier]; copied, so a decoder may reuse it. */
  readonly csi: Samples
}

/** The router of a stream. */
export interface StreamIdentity {
  readonly routerId: string
  readonly source: Source
}

/** Name of the transmitter if the capture does not name it. */
export const unknownTransmitterId = "ap"

/** Samples of the same type as `like` in the first bytes of `buffer`. */
const samplesIn = (buffer: ArrayBuffer, like: Samples, length: number): Samples => {
  if (like instanceof Int16Array) return new Int16Array(buffer, 0, length)
  return like instanceof Int8Array ? new Int8Array(buffer, 0, length) : new Float32Array(buffer, 0, length)
}

/** Gathers the frames of one stream. */
export class BatchBuilder {
  readonly #identity: StreamIdentity
  #frames = 0
  #batchSequence = 0
  #layout: RadioLayout | null = null
  /** Capacity of the batch in frames, and values of each. */
  #framesMax = 0
  #frameNumbers = 0
  /** Frames of the last batch: the estimate for the next one. */
  #framesBefore = 0
  #csi: Samples = new Float32Array(0)
  /** Memory in use by batches, by their samples' buffer, and returned memory. */
  readonly #lent = new WeakSet<ArrayBufferLike>()
  readonly #spares: Array<ArrayBuffer> = []
  /** Finished batches that were not taken yet. */
  #ended: Array<CsiBatch> = []
  readonly #timestampsUs = new Float64Array(batchFramesMax)
  readonly #sequences = new Uint32Array(batchFramesMax)
  readonly #rssiDbm = new Int8Array(batchFramesMax)
  readonly #noiseFloorDbm = new Int8Array(batchFramesMax)
  readonly #transmitterIndex = new Uint16Array(batchFramesMax)
  readonly #transmitters = new Map<string, number>()
  /** The transmitter of the last frame, and its index; none yet in an empty batch. */
  #lastTransmitterId = ""
  #lastIndex = -1

  constructor(identity: StreamIdentity) {
    this.#identity = identity
  }

  /** Frames of the batch that has not ended. */
  get frameCount(): number {
    return this.#frames
  }

  /** Adds a frame. */
  add(frame: CsiFrame): void {
    if (this.#mustEndBefore(frame)) this.#end()
    if (this.#layout === null) this.#begin(frame)
    const at = this.#frames * this.#frameNumbers
    if (at + this.#frameNumbers > this.#csi.length) this.#grow(2 * this.#frames, this.#csi)
    const i = this.#frames++
    this.#timestampsUs[i] = frame.timestampUs
    this.#sequences[i] = frame.sequence
    this.#rssiDbm[i] = frame.rssiDbm
    this.#noiseFloorDbm[i] = frame.noiseFloorDbm
    this.#transmitterIndex[i] = this.#indexOf(frame.transmitterId)
    this.#csi.set(frame.csi, at)
  }

  /** Ends the batch and returns all finished batches, in order. */
  take(): ReadonlyArray<CsiBatch> {
    this.#end()
    const ended = this.#ended
    this.#ended = []
    return ended
  }

  /** Takes back the memory of a batch that is no longer read. Ignores a batch of another builder, or one returned twice. */
  recycle({ csi }: CsiBatch): void {
    const { buffer } = csi
    if (this.#lent.delete(buffer) && this.#spares.length < sparesMax) this.#spares.push(buffer as ArrayBuffer)
  }

  #end(): void {
    const layout = this.#layout
    if (layout === null) return
    const n = this.#frames
    const numbers = n * this.#frameNumbers
    // A batch that fills most of the buffer keeps it, which saves a copy of all values.
    const whole = 2 * numbers > this.#csi.length
    if (whole) this.#lent.add(this.#csi.buffer)
    this.#framesBefore = n
    this.#ended.push({
      routerId: this.#identity.routerId,
      batchSequence: ++this.#batchSequence,
      source: this.#identity.source,
      layout,
      frameCount: n,
      timestampsUs: this.#timestampsUs.slice(0, n),
      sequences: this.#sequences.slice(0, n),
      rssiDbm: this.#rssiDbm.slice(0, n),
      noiseFloorDbm: this.#noiseFloorDbm.slice(0, n),
      transmitterIndex: this.#transmitterIndex.slice(0, n),
      transmitterIds: [...this.#transmitters.keys()],
      csi: whole ? this.#csi.subarray(0, numbers) : this.#csi.slice(0, numbers),
    })
    if (whole) this.#csi = this.#csi.subarray(0, 0)
    this.#layout = null
    this.#frames = 0
    this.#transmitters.clear()
    this.#lastIndex = -1
  }

  #mustEndBefore(frame: CsiFrame): boolean {
    const layout = this.#layout
    if (layout === null) return false
    return this.#frames === this.#framesMax || !sameLayout(layout, frame.layout) ||
      frame.timestampUs < this.#timestampsUs[this.#frames - 1]! ||
      frame.csi.BYTES_PER_ELEMENT !== this.#csi.BYTES_PER_ELEMENT
  }

  #begin({ csi, layout }: CsiFrame): void {
    this.#layout = layout
    this.#frameNumbers = valuesPerFrame(layout) * 2
    this.#framesMax = Math.max(1, Math.min(batchFramesMax, Math.floor(batchNumbersMax / this.#frameNumbers)))
    const expected = this.#framesBefore + (this.#framesBefore >> 3) + 1
    const fits = this.#csi.BYTES_PER_ELEMENT === csi.BYTES_PER_ELEMENT
    if (!fits || this.#csi.length < expected * this.#frameNumbers) this.#grow(expected, csi)
  }

  /** Allocates `frames` frames of samples of the type of `like`: at least one frame, at most the maximum of a batch. */
  #grow(frames: number, like: Samples): void {
    const numbers = Math.max(1, Math.min(frames, this.#framesMax)) * this.#frameNumbers
    const spare = this.#spares.pop()
    const bytes = numbers * like.BYTES_PER_ELEMENT
    const buffer = spare !== undefined && spare.byteLength >= bytes ? spare : new ArrayBuffer(bytes)
    const grown = samplesIn(buffer, like, Math.floor(buffer.byteLength / like.BYTES_PER_ELEMENT))
    grown.set(this.#csi.subarray(0, this.#frames * this.#frameNumbers))
    this.#csi = grown
  }

  #indexOf(transmitterId: string): number {
    if (this.#lastIndex >= 0 && transmitterId === this.#lastTransmitterId) return this.#lastIndex
    const index = this.#transmitters.get(transmitterId) ?? this.#transmitters.size
    this.#transmitters.set(transmitterId, index)
    this.#lastTransmitterId = transmitterId
    return this.#lastIndex = index
  }
}
