/**
 * Reader of the message `wavepose.v1.ProcessCsiRequest`: an encoded batch, which stays encoded, and how frames are shown.
 */
import type { Result } from "effect"
import protobuf from "protobufjs/minimal.js"
import type { InvalidBatch } from "../domain/failure.ts"
import { readOrInvalid } from "./csi-batch-checks.ts"
import { eachField, within } from "./field-reader.ts"

/** The filters of frames, as over WebSocket. */
interface Shown {
  readonly min_confidence?: number
  readonly include_keypoints?: boolean
  readonly include_dense_pose?: boolean
  readonly include_3d?: boolean
}

interface ProcessRequest {
  /** Empty if the message has none. */
  readonly batch: Uint8Array
  readonly shown: Shown
}

const fieldsMax = 64
const double = 1
const flags = new Map([[3, "include_keypoints"], [4, "include_dense_pose"], [5, "include_3d"]] as const)

/** Fails with `InvalidBatch`: the bytes are not such a message, or a filter is out of range. */
export const readProcessRequest = (bytes: Uint8Array): Result.Result<ProcessRequest, InvalidBatch> =>
  readOrInvalid(() => {
    let batch: Uint8Array = new Uint8Array(0)
    const shown: Record<string, number | boolean> = {}
    eachField(protobuf.Reader.create(bytes), fieldsMax, (field, wire, reader) => {
      const flag = flags.get(field as 3)
      if (field === 1 && wire === 2) batch = reader.bytes()
      else if (field === 2 && wire === double) {
        shown["min_confidence"] = within("min_confidence", reader.double(), 0, 1)
      } else if (flag !== undefined && wire === 0) shown[flag] = reader.bool()
      else return false
      return true
    })
    return { batch, shown }
  })
