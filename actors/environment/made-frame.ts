/** A frame that is made and encoded, and the form in which it is stored. */
import { summaryOf } from "../../protocols/domain/frame-summary.ts"
import type { PoseFrame } from "../../protocols/domain/pose.ts"
import { anonymousFrame } from "../../protocols/domain/privacy.ts"
import { encodePoseFrame } from "../../protocols/grpc/pose-frame.ts"
import type { ArchivedFrame, NewestFrame } from "../../protocols/messages/archive.ts"

/** A frame before it has its id. */
export type Draft = Omit<PoseFrame, "frameId">

export interface MadeFrame {
  readonly frame: PoseFrame
  readonly bytes: Uint8Array
}

export const madeFrame = (draft: Draft, frameId: number): MadeFrame => {
  const frame = { ...draft, frameId }
  return { frame, bytes: encodePoseFrame(frame) }
}

/** @param generation that of the activation that made the frame */
export const archivedFrame = (
  { bytes, frame }: MadeFrame,
  generation: number,
  anonymizeData: boolean,
): ArchivedFrame => ({
  frameId: frame.frameId,
  generation,
  timestampMs: frame.timestampMs,
  summary: summaryOf(frame),
  body: anonymizeData ? encodePoseFrame(anonymousFrame(frame)) : bytes,
})

/** Whether the newest stored frame is this one. */
export const isStored = ({ body, frameId }: ArchivedFrame, newest: NewestFrame | null): boolean =>
  newest?.frameId === frameId && newest.body?.length === body.length &&
  newest.body.every((byte, at) => byte === body[at])
