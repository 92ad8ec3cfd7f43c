/**
 * Pose updates of a subscription that resumes after a frame id: stored frames at the pace of the client, then live ones.
 *
 * Boundary: which frames follow is decided in `gateways/frames/resumed-frames.ts`; live subscriptions share a stream in `pose-feeds.ts`.
 */
import { Cause, Clock, Effect, Fiber, Option, Stream } from "effect"
import type { ActorUnavailable, StoreUnavailable, UnknownEnvironment } from "../../../protocols/domain/failure.ts"
import type { Form } from "../../../protocols/pose-api/forms.ts"
import { updateText } from "../../../protocols/pose-api/pose-frame.ts"
import type { PoseFilter } from "../../../protocols/pose-api/pose-json.ts"
import { poseUpdateTail } from "../../../protocols/pose-api/socket-messages.ts"
import { FrameHistory } from "../../../protocols/ports/frame-history.ts"
import { FrameHub } from "../../frames/frame-hub.ts"
import { resumeAfter, type ResumedFrame, type Resumption } from "../../frames/resumed-frames.ts"
import type { Lane } from "./outbox.ts"
import { shareTail } from "./shared-tail.ts"

interface ResumedSubscriber {
  readonly form: Form
  readonly filter: PoseFilter
  readonly lane: Lane
  /** The stream has ended, and no update follows. Null: it ended unexpectedly. */
  readonly ended: (failure: UnknownEnvironment | ActorUnavailable | StoreUnavailable | null) => void
}

export interface ResumedUpdates {
  /** The frames of an environment after a frame id. */
  readonly resume: (environmentId: string, afterFrameId: number) => Effect.Effect<Resumption, StoreUnavailable>
  /** Sends the frames to a subscriber. The returned function ends that. */
  readonly send: (frames: Resumption["frames"], subscriber: ResumedSubscriber) => () => void
}

/** Completes once the client has read the updates that were sent before. */
const untilFree = ({ whenFree }: Lane): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const cancel = whenFree(() => resume(Effect.void))
    return Effect.sync(cancel)
  })

const sendOne = Effect.fnUntraced(function* (
  { shared, stored }: ResumedFrame,
  { filter, form, lane }: ResumedSubscriber,
) {
  if (stored) yield* untilFree(lane)
  const text = updateText(shared, form, filter, yield* Clock.currentTimeMillis)
  lane.update(shareTail(Buffer.from(poseUpdateTail(text))))
})

/** Updates whose fibers live in the scope in context. */
export const makeResumedUpdates = Effect.gen(function* () {
  const context = yield* Effect.context<FrameHub | FrameHistory>()
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(context)

  const send: ResumedUpdates["send"] = (frames, subscriber) => {
    const { ended } = subscriber
    const sending = frames.pipe(
      Stream.runForEach((frame) => sendOne(frame, subscriber)),
      Effect.matchCauseEffect({
        onSuccess: () => Effect.sync(() => ended(null)),
        onFailure: (cause) => {
          if (Cause.hasInterruptsOnly(cause)) return Effect.void
          return Effect.logDebug("resumed pose updates ended", cause).pipe(
            Effect.andThen(Effect.sync(() => ended(Option.getOrNull(Cause.findErrorOption(cause))))),
          )
        },
      }),
    )
    const fiber = Fiber.runIn(run(Effect.andThen(Effect.yieldNow, sending)), scope)
    return () => fiber.interruptUnsafe()
  }

  return {
    resume: (environmentId, afterFrameId) => Effect.provide(resumeAfter(environmentId, afterFrameId), context),
    send,
  } satisfies ResumedUpdates
})
