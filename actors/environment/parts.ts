/** The parts of an open environment that last as long as it is open: its stores, its estimation, its measures and its pace. */
import { Effect } from "effect"
import { CurrentFrameTracer } from "../../protocols/ports/frame-trace.ts"
import { Privacy } from "../../protocols/ports/privacy.ts"
import { KeepsPace } from "../../protocols/ports/keeps-pace.ts"
import { PoseInference } from "../runtime/pose/pose-inference.ts"
import { makeEventLog } from "./event-log.ts"
import { makeFrameMeasures } from "./frame-measures.ts"
import { makeHopEstimation } from "./hop-estimation.ts"
import { makeLastHops } from "./last-hops.ts"
import { makeOwnArchive } from "./own-archive.ts"
import { makePace } from "./pace.ts"
import { Publication } from "./publication.ts"
import { type Site, withRetries } from "./site.ts"
import { makeSiteMemory } from "./site-memory.ts"
import { makeTrackLog } from "./track-log.ts"

export type Parts = Effect.Success<ReturnType<typeof openParts>>

/** Opens the parts in the scope in context. */
export const openParts = Effect.fnUntraced(function* (environmentId: string) {
  const memory = yield* makeSiteMemory(environmentId)
  const archive = yield* makeOwnArchive(environmentId)
  const privacy = (yield* Privacy).current
  const [publication, log] = yield* Effect.all([
    withRetries(Publication.start(archive, privacy)),
    withRetries(makeEventLog(archive, privacy)),
  ], { concurrency: "unbounded" })
  const lastHops = yield* makeLastHops
  return {
    environmentId,
    tracer: yield* CurrentFrameTracer,
    publication,
    log,
    memory,
    /** Leaves what is known to the next activation, after the last hops. */
    leave: (site: Site, position: () => Parameters<typeof memory.leave>[0], endHops: Effect.Effect<void>) =>
      Effect.flatMap(lastHops(site, endHops), () => memory.leave(position(), site, log)),
    trackLog: yield* makeTrackLog(archive, privacy),
    inference: yield* PoseInference,
    estimateHop: yield* makeHopEstimation(environmentId),
    measures: makeFrameMeasures(environmentId),
    pace: makePace(yield* KeepsPace),
  }
})
