/** Boards that send recorded CSI as RuView datagrams, in either order of subcarriers: of real time, over real sockets. */
import { createSocket } from "node:dgram"
import { binOf, type BinOrder } from "../../core/formats/bin-order.ts"
import { decodeRecording, framesOf } from "./decode.ts"
import { ruviewHeader } from "./ruview.ts"

/** A recording as read by the csv decoder, which is given the order: legacy fields by ascending subcarrier. */
export const recordedFrames = (name: string) =>
  framesOf(decodeRecording(name).batches).map(({ batch, csi, i }) => ({ csi, timestampUs: batch.timestampsUs[i]! }))

/** A node's datagram with a legacy field in an order, and other bins behind it. */
export const nodeDatagram = (
  csi: Float32Array,
  { bins = 64, node = 1, order, sequence = 0 }: {
    readonly order: BinOrder
    readonly bins?: number
    readonly node?: number
    readonly sequence?: number
  },
): Uint8Array => {
  const { bytes, view } = ruviewHeader({ bins, mhz: 2412, nodeId: node, sequence })
  bytes.fill(17, 20 + 128)
  for (let k = -32; k < 32; k++) {
    const at = 20 + 2 * binOf(k, order)
    view.setInt8(at, csi[2 * (k + 32) + 1]!)
    view.setInt8(at + 1, csi[2 * (k + 32)]!)
  }
  return bytes
}

export interface Board {
  /** Sends another recording from now on, again and again. */
  readonly play: (name: string) => void
  readonly stop: () => void
}

const stepMs = 10

/** A board that sends a recording at its own pace, again and again. */
export const startBoard = (port: number, node: number, order: BinOrder, name: string): Board => {
  const socket = createSocket("udp4")
  let frames = recordedFrames(name)
  let [next, sequence, begunMs] = [0, 0, performance.now()]
  const timer = setInterval(() => {
    const playedUs = (performance.now() - begunMs) * 1000
    while (next < frames.length && frames[next]!.timestampUs - frames[0]!.timestampUs <= playedUs) {
      socket.send(nodeDatagram(frames[next++]!.csi, { node, order, sequence: sequence++ }), port, "127.0.0.1")
    }
    if (next === frames.length) [next, begunMs] = [0, performance.now()]
  }, stepMs)
  return {
    play: (name) => {
      frames = recordedFrames(name)
      ;[next, begunMs] = [0, performance.now()]
    },
    stop: () => {
      clearInterval(timer)
      socket.close()
    },
  }
}
