/**
 * Codec of the message `wavepose.v1.RecordCsiResponse`: its batch stays encoded.
 */
import type { Result } from "effect"
import protobuf from "protobufjs/minimal.js"
import type { InvalidBatch } from "../domain/failure.ts"
import { readOrInvalid } from "./csi-batch-checks.ts"
import { eachField, text, unsigned } from "./field-reader.ts"

export interface RecordedCsi {
  /** Empty but in the first message. */
  readonly environmentId: string
  readonly routerIds: ReadonlyArray<string>
  /** An encoded CSI batch; null in the first message. */
  readonly batch: Uint8Array | null
  /** Batches lost so far, and times that a router could not be followed. */
  readonly lostBatches: number
  readonly interruptions: number
}

const fieldsMax = 4_096

export const encodeRecordedCsi = (message: RecordedCsi): Uint8Array => {
  const writer = protobuf.Writer.create()
  if (message.environmentId !== "") writer.uint32(10).string(message.environmentId)
  for (const routerId of message.routerIds) writer.uint32(18).string(routerId)
  if (message.batch !== null) writer.uint32(26).bytes(message.batch)
  if (message.lostBatches > 0) writer.uint32(32).uint64(message.lostBatches)
  if (message.interruptions > 0) writer.uint32(40).uint32(message.interruptions)
  return writer.finish()
}

/** Fails with `InvalidBatch`: the bytes are not such a message. */
export const readRecordedCsi = (bytes: Uint8Array): Result.Result<RecordedCsi, InvalidBatch> =>
  readOrInvalid(() => {
    let environmentId = ""
    const routerIds: Array<string> = []
    let batch: Uint8Array | null = null
    let lostBatches = 0
    let interruptions = 0
    eachField(protobuf.Reader.create(bytes), fieldsMax, (field, wire, reader) => {
      if (field === 1 && wire === 2) environmentId = text(reader, "environment_id")
      else if (field === 2 && wire === 2) routerIds.push(text(reader, "router_ids"))
      else if (field === 3 && wire === 2) batch = reader.bytes()
      else if (field === 4 && wire === 0) lostBatches = unsigned(reader, "lost_batches")
      else if (field === 5 && wire === 0) interruptions = unsigned(reader, "interruptions")
      else return false
      return true
    })
    return { environmentId, routerIds, batch, lostBatches, interruptions }
  })
