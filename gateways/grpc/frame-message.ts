/**
 * Frames as messages `wavepose.v1.PoseFrame`.
 *
 * A frame is encoded once for all readers with the same view of it; only its age and lateness are of the moment of sending.
 */
import protobuf from "protobufjs/minimal.js"
import { latenessOf } from "../../protocols/domain/lateness.ts"
import { codecOf, type Json } from "../../protocols/grpc/contract/transcode.ts"
import { frameText, shownKey } from "../../protocols/pose-api/pose-frame.ts"
import { ageMsOf, type PoseFilter } from "../../protocols/pose-api/pose-json.ts"
import type { SharedFrame } from "../frames/shared-frame.ts"

const lengthDelimited = 2

/** Encodes frames as the field `field` of a message, through a filter. */
export const makeFrameEncoder = (field: number, filter: PoseFilter) => {
  const codec = codecOf("PoseFrame")
  return (shared: SharedFrame, nowMs: number): Uint8Array => {
    const { frame } = shared
    const bytes = shared.memo(
      `grpc ${shownKey(shared, filter)}`,
      () => codec.encode(JSON.parse(frameText(shared, "bare", filter, nowMs)) as Json),
    )
    const provenance = { age_ms: ageMsOf(frame, nowMs), lateness: latenessOf(frame, nowMs) }
    // Fields that are appended to a message replace those before.
    const judged = Buffer.concat([bytes, codec.encode({ metadata: { provenance } })])
    return protobuf.Writer.create().uint32(field << 3 | lengthDelimited).bytes(judged).finish()
  }
}
