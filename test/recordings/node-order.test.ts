/** Recordings of boards on a channel with a secondary one, sent as nodes send them: in the chip's order, and as without a secondary channel. */
import { describe, expect, it } from "vitest"
import { BatchBuilder, type CsiFrame } from "../../core/formats/batch-builder.ts"
import type { BinOrder } from "../../core/formats/bin-order.ts"
import { type Received, ruviewDecoder } from "../../gateways/datagrams/decoders.ts"
import { nodeDatagram, recordedFrames } from "../harness/boards.ts"
import { decodeRecording, framesOf } from "../harness/decode.ts"
import { readingsOf, shareOf } from "../harness/presence.ts"
import { hasRecordings } from "../harness/recordings.ts"

/** Hops of the start, in which nothing can be said yet. */
const startHops = 110

const framesIn = (received: Received | { readonly reason: string }): ReadonlyArray<CsiFrame> =>
  "frames" in received ? received.frames : []

const received = (name: string, order: BinOrder, bins: number): ReadonlyArray<CsiFrame> => {
  const decode = ruviewDecoder()
  return recordedFrames(name).flatMap(({ csi, timestampUs }) =>
    framesIn(decode({
      bytes: nodeDatagram(csi, { bins, order }),
      sender: "10.0.0.1",
      signedBy: null,
      receivedUs: timestampUs,
    }))
  )
}

const readings = (frames: ReadonlyArray<CsiFrame>) => {
  const builder = new BatchBuilder({ routerId: "node-1", source: "live" })
  for (const frame of frames) builder.add(frame)
  return readingsOf(builder.take())
}

const names = [
  "pulse_esp32/vacio_01.csv",
  "pulse_esp32/vacio_02.csv",
  "pulse_esp32/mov_01.csv",
  "pulse_esp32/mov_02.csv",
]

describe.skipIf(!hasRecordings("pulse_esp32"))("a node with a secondary channel", () => {
  it.each(names.flatMap((name) => [64, 128, 192].map((bins) => [name, bins] as const)))(
    "%s in datagrams of %i bins: the same CSI in both orders, and that of the csv",
    (name, bins) => {
      const truth = recordedFrames(name)
      for (const order of ["ascending", "centre-first"] as const) {
        const frames = received(name, order, bins)
        expect(frames).toHaveLength(truth.length)
        const wrong = frames.findIndex(({ csi }, n) => csi.some((value, i) => value !== truth[n]!.csi[i]))
        expect(wrong).toBe(-1)
      }
    },
  )

  it.each(["ascending", "centre-first"] as const)(
    "in the order %s: an empty room is empty, and a walk is seen",
    (order) => {
      const empty = readings(received("pulse_esp32/vacio_01.csv", order, 192))
      expect(shareOf(empty, true)).toBe(0)
      expect(shareOf(empty.slice(startHops), false)).toBe(1)
      const walk = readings(received("pulse_esp32/mov_01.csv", order, 192))
      expect(shareOf(walk, false)).toBe(0)
      expect(shareOf(walk.slice(startHops), true)).toBe(1)
    },
  )
})

describe.skipIf(!hasRecordings("puz9"))("boards that looked for their access point on other channels first", () => {
  it.each(["x_axis_empty", "x_axis_walking", "y_axis_empty", "y_axis_walking"])(
    "%s: every frame is read in its own order, or left out",
    (name) => {
      const { batches, faults } = decodeRecording(`puz9/${name}.csv`)
      expect(faults).toEqual([])
      const frames = framesOf(batches)
      const decode = ruviewDecoder()
      let leftOut = 0
      for (const { batch, csi } of frames) {
        // The csv says the channel of each frame: the pairs of boards are on 9, without a secondary channel elsewhere.
        const order = batch.layout.centerFrequencyHz === 2452e6 ? "ascending" : "centre-first"
        const bytes = nodeDatagram(csi, { order })
        const [frame] = framesIn(decode({ bytes, sender: "10.0.0.1", signedBy: null, receivedUs: 0 }))
        if (frame === undefined) leftOut++
        else if (frame.csi.some((value, i) => value !== csi[i])) expect(name).toBe("as the csv has it")
      }
      expect(leftOut).toBeLessThan(10)
      expect(frames.length).toBeGreaterThan(2000)
    },
  )
})
