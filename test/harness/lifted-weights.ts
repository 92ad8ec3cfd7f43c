/** Weights that differ measurably from the service's own. */
import { ownWeights } from "./own-weights.ts"

const joints = 17

/** The file of the service's own weights under another version, the bias of every keypoint's height `liftM` metres more. */
export const liftedWeights = (version: string, liftM: number): Uint8Array => {
  const own = ownWeights("wavepose")
  const headerEnd = 8 + Number(own.readBigUInt64LE(0))
  const header = JSON.parse(own.toString("utf8", 8, headerEnd))
  const data = Buffer.from(own.subarray(headerEnd))
  for (let joint = 0; joint < joints; joint++) {
    const at = header["head.1.bias"].data_offsets[0] + 4 * (3 * joint + 2)
    data.writeFloatLE(data.readFloatLE(at) + liftM, at)
  }
  const text = Buffer.from(JSON.stringify({ ...header, __metadata__: { model_version: version } }))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(text.length))
  return Buffer.concat([length, text, data])
}
