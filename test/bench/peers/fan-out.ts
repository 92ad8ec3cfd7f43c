/** What the servers of the gateway bench send: a pose update of about 2 KB that says when it was sent. */
import { frameText, updateText } from "../../../protocols/pose-api/pose-frame.ts"
import type { PoseFilter } from "../../../protocols/pose-api/pose-json.ts"
import { poseUpdateHead, poseUpdateTail } from "../../../protocols/pose-api/socket-messages.ts"
import type { SharedFrame } from "../../../gateways/frames/shared-frame.ts"
import { makeFrame, makeStanding, share } from "../../gateways/pose/frames.ts"

const filter: PoseFilter = {
  minConfidence: 0,
  personIds: null,
  includeKeypoints: true,
  include3d: false,
  includeDensePose: false,
}

/** A frame of one person, as of now: all processes of a machine share this clock. */
export const frameNow = (frameId: number): SharedFrame =>
  share(makeFrame({ frameId, timestampMs: Date.now(), persons: [makeStanding(41, 0.9)] }))

/** The text that the gateway sends of it to a subscriber. */
export const updateOf = (frame: SharedFrame): string =>
  poseUpdateHead("01a2b3c4-0000-7000-8000-000000000000", 0) +
  poseUpdateTail(updateText(frame, "bare", filter, Date.now()))

/** The frame as an object whose JSON is what the gateway answers over REST. */
export const bodyNow = (): unknown => JSON.parse(frameText(frameNow(1), "bare", filter, Date.now()))
