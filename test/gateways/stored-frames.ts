/** A history of frames in memory: the port as the store answers it, for the environments of a test. */
import { Effect, Layer } from "effect"
import { StoreUnavailable } from "../../protocols/domain/failure.ts"
import type { PoseFrame } from "../../protocols/domain/pose.ts"
import { FrameHistory, type FramePosition, type FramesRequest } from "../../protocols/ports/frame-history.ts"

const positionOf = ({ frameId, timestampMs }: PoseFrame): FramePosition => ({
  timestampUs: timestampMs * 1000,
  environmentId: null,
  frameId,
})

export class StoredFramesDouble {
  readonly #frames: Array<PoseFrame> = []
  /** Called after each page. */
  onPage: () => void = () => {}
  pages = 0
  /** Reads, also those that fail. */
  asked = 0
  fails = false
  /** Reads have no answer. */
  hangs = false

  store(...frames: ReadonlyArray<PoseFrame>): void {
    this.#frames.push(...frames)
  }

  /** Deletes the frames up to this id, as retention does. */
  deleteUpTo(frameId: number): void {
    this.#deletedUpTo = frameId
  }
  #deletedUpTo = 0

  #kept(environmentId: string): ReadonlyArray<PoseFrame> {
    return this.#frames.filter((frame) => frame.environmentId === environmentId && frame.frameId > this.#deletedUpTo)
  }

  #page({ after, limit, range }: FramesRequest) {
    const following = this.#kept(range.environmentId!).filter(({ frameId, timestampMs }) =>
      frameId > (after?.frameId ?? 0) && timestampMs >= (range.fromMs ?? -Infinity) &&
      timestampMs < (range.toMs ?? Infinity)
    )
    const frames = following.slice(0, limit)
    this.pages++
    this.onPage()
    return { frames, next: following.length > limit ? positionOf(frames.at(-1)!) : null, total: null }
  }

  get layer(): Layer.Layer<FrameHistory> {
    const unlessFailing = <A>(read: () => A) =>
      Effect.suspend(() => {
        this.asked++
        if (this.hangs) return Effect.never
        return this.fails
          ? Effect.fail(new StoreUnavailable({ message: "The store does not answer." }))
          : Effect.sync(read)
      })
    return Layer.mock(FrameHistory, {
      frames: (request) => unlessFailing(() => this.#page(request)),
      resumePoint: ({ afterFrameId, environmentId, framesMax }) =>
        unlessFailing(() => {
          const newest = this.#frames.findLast((frame) => frame.environmentId === environmentId)
          if (newest === undefined) return null
          const first = this.#kept(environmentId).slice(-framesMax).find(({ frameId }) => frameId > afterFrameId)
          return { newestFrameId: newest.frameId, first: first === undefined ? null : positionOf(first) }
        }),
    })
  }
}
