/**
 * Where a subscription to all environments continues: some of them after a frame id.
 *
 * Invariants: an environment that does not exist costs nothing and has no frames; if it is enrolled later or again, it continues after its
 * last frame.
 */
import { Effect, Stream } from "effect"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { EnrolledEnvironments } from "../../frames/enrolled-environments.ts"
import type { Resumption } from "../../frames/resumed-frames.ts"
import type { ResumedUpdates } from "./resumed-updates.ts"

interface ResumedEnvironments {
  /** The start of each environment that exists, as the confirmation of the subscription shows it. */
  readonly starts: Readonly<Record<string, { readonly after_frame_id: number; readonly reason: string | null }>>
  /** The frames of an environment after its last one; null: they begin with the next one. */
  readonly framesOf: (environmentId: string) => Resumption["frames"] | null
}

/** Environments whose starts are looked up at a time. */
const concurrency = 8

/** @param after the last frame of each environment */
export const resumeEnvironments = Effect.fnUntraced(function* (
  { resume }: ResumedUpdates,
  after: Readonly<Record<string, number>>,
): Effect.fn.Return<ResumedEnvironments, StoreUnavailable, EnrolledEnvironments> {
  const lastIds = new Map(Object.entries(after))
  const existing = (yield* (yield* EnrolledEnvironments).ids).filter((id) => lastIds.has(id))
  const resumptions = yield* Effect.forEach(existing, (id) => resume(id, lastIds.get(id)!), { concurrency })
  const begun = new Map(existing.map((id, i) => [id, resumptions[i]!]))
  const starts = existing.map((id, i) => {
    const { afterFrameId, reason } = resumptions[i]!
    return [id, { after_frame_id: afterFrameId, reason }] as const
  })
  return {
    starts: Object.fromEntries(starts),
    framesOf: (environmentId) => {
      const lastId = lastIds.get(environmentId)
      if (lastId === undefined) return null
      const frames = begun.get(environmentId)?.frames ??
        Stream.unwrap(Effect.map(resume(environmentId, lastId), (resumption) => resumption.frames))
      begun.delete(environmentId)
      return Stream.tap(frames, ({ shared }) => Effect.sync(() => lastIds.set(environmentId, shared.frame.frameId)))
    },
  }
})
