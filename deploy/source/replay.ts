/**
 * Replay: recordings as a source of CSI, one router for each file.
 *
 * Recordings have no common clock: each begins at the start time and keeps the pace of its own clock.
 */
import { Effect, Exit, Scope } from "effect"
import { basename } from "node:path"
import { hopUs } from "../../core/signal/observation.ts"
import type { Environment } from "../../protocols/domain/site.ts"
import type { HopSource } from "./play.ts"
import { openRecording, type Recording } from "./recording.ts"
import type { UnreadableRecording } from "./unreadable-recording.ts"

/** What a source needs to be known before it may send. */
export interface Enrolment {
  readonly environment: Environment
  readonly routerIds: ReadonlyArray<string>
}

/** The router of each file, in order: `replay-<name>`, made unique by a number. */
const routerIdsOf = (files: ReadonlyArray<string>): ReadonlyArray<string> => {
  const taken = new Set<string>()
  return files.map((file) => {
    const name = basename(file).replace(/\.[^.]*$/, "").replace(/[^A-Za-z0-9._-]/g, "_").slice(0, 50)
    let id = `replay-${name}`
    for (let n = 2; taken.has(id); n++) id = `replay-${name}-${n}`
    taken.add(id)
    return id
  })
}

/** Who has to be enrolled before these files are replayed. */
export const replayEnrolment = (files: ReadonlyArray<string>): Enrolment => ({
  environment: { environmentId: "replay", name: "Replay of recordings", geometry: null },
  routerIds: routerIdsOf(files),
})

export interface ReplayOptions {
  readonly files: ReadonlyArray<string>
  /** What the time of each file's first packet becomes, milliseconds since the Unix epoch. */
  readonly startMs: number
  /** Begin again when all files have ended; event time goes on. */
  readonly loop: boolean
}

/** A source that is being replayed. */
export interface Replay extends HopSource<UnreadableRecording> {
  /** Stretches of the recordings that were left out so far. */
  readonly faults: () => number
}

/** One pass over the files. */
interface Pass {
  readonly scope: Scope.Closeable
  readonly recordings: ReadonlyArray<Recording>
}

/** Opens the files; they are closed with the scope. */
export const openReplay = Effect.fnUntraced(function* (
  { files, loop, startMs }: ReplayOptions,
): Effect.fn.Return<Replay, UnreadableRecording, Scope.Scope> {
  const outer = yield* Effect.scope
  const routerIds = routerIdsOf(files)
  /** First sequence of the next pass: above every sequence of this one. */
  let batchSequence = 1
  let faultsBefore = 0

  const openPass = Effect.fnUntraced(function* (startUs: number): Effect.fn.Return<Pass, UnreadableRecording> {
    const scope = yield* Scope.fork(outer)
    const recordings = yield* Effect.forEach(
      files,
      (file, i) => openRecording({ file, routerId: routerIds[i]!, startUs, batchSequence }),
    ).pipe(Scope.provide(scope))
    return { scope, recordings }
  })

  const faultsOf = ({ recordings }: Pass): number => recordings.reduce((sum, recording) => sum + recording.faults(), 0)

  let pass = yield* openPass(startMs * 1000)
  /** Hop after the newest one that was taken; null before the first. */
  let upcoming: number | null = null
  /** The running pass has not brought a packet. */
  let empty = true

  const next: Replay["next"] = Effect.gen(function* () {
    while (true) {
      const hops = yield* Effect.forEach(pass.recordings, ({ nextHop }) => nextHop)
      const hop = hops.reduce<number | null>((least, at) => at === null ? least : Math.min(at, least ?? at), null)
      if (hop !== null) {
        empty = false
        const batches = (yield* Effect.forEach(pass.recordings, ({ take }) => take(hop))).flat()
        for (const batch of batches) batchSequence = Math.max(batchSequence, batch.batchSequence + 1)
        // A clock that steps back does not turn time back.
        upcoming = Math.max(hop + 1, upcoming ?? 0)
        return { endUs: upcoming * hopUs, batches }
      }
      // A pass without one packet would loop for ever.
      if (!loop || empty || upcoming === null) return null
      empty = true
      faultsBefore += faultsOf(pass)
      yield* Scope.close(pass.scope, Exit.void)
      pass = yield* openPass(upcoming * hopUs)
    }
  })

  return { next, faults: () => faultsBefore + faultsOf(pass) }
})
