/**
 * Replay: recordings as a source of CSI. A capture is one router; a recorded simulation has many routers and their sites.
 *
 * Recordings have no common clock. Each begins at the start time and keeps the pace of its own clock.
 */
import { Effect, Exit, Scope } from "effect"
import { basename } from "node:path"
import { hopUs } from "../../core/observation/observation.ts"
import type { Environment } from "../../protocols/domain/site.ts"
import type { RecordingHeader } from "../../sim/recording/recording.ts"
import { readRecordedHeader } from "./capture.ts"
import type { HopSource } from "./play.ts"
import { openRecording, type Recording } from "./recording.ts"
import type { UnreadableRecording } from "./unreadable-recording.ts"

/** What a source needs to be known before it may send. */
export interface Enrolment {
  readonly environment: Environment
  readonly routerIds: ReadonlyArray<string>
}

/** Routers whose room is empty when the source begins, and for how long. */
export interface EmptyAtFirst {
  readonly routerIds: ReadonlyArray<string>
  readonly seconds: number
}

/** A file and the names of its routers. */
interface ReplayedFile {
  readonly file: string
  /** Router id of a capture. */
  readonly routerId: string
  /** Ids of the nodes and environments of a recorded simulation. */
  readonly rename: (id: string) => string
  /** Null for a capture. */
  readonly header: RecordingHeader | null
}

/** Identifiers have at most 64 characters, of which prefix and suffix need some. */
const nameCharactersMax = 50

/**
 * Gives the files unique names, in order. A capture is router `replay-<file name>`. The nodes and environments of a recorded
 * simulation get the prefix `replay-`, so that a replay is not mistaken for the user's own site.
 */
const nameFiles = (
  files: ReadonlyArray<{ readonly file: string; readonly header: RecordingHeader | null }>,
): ReadonlyArray<ReplayedFile> => {
  const taken = new Set<string>()
  return files.map(({ file, header }) => {
    const stem = basename(file).replace(/\.[^.]*$/, "").replace(/[^A-Za-z0-9._-]/g, "_").slice(0, nameCharactersMax)
    const ids = header === null
      ? [stem]
      : header.sites.flatMap(({ environmentId, routers }) => [environmentId, ...routers])
    const named = (n: number) => (id: string): string =>
      `replay-${id.slice(0, nameCharactersMax)}${n === 1 ? "" : `-${n}`}`
    let n = 1
    while (ids.some((id) => taken.has(named(n)(id)))) n++
    const rename = named(n)
    for (const id of ids) taken.add(rename(id))
    return { file, routerId: rename(stem), rename, header }
  })
}

const readFiles = (files: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<ReplayedFile>, UnreadableRecording> =>
  Effect.map(
    Effect.forEach(files, (file) => Effect.map(readRecordedHeader(file), (header) => ({ file, header }))),
    nameFiles,
  )

/** The sites of a recorded simulation under their replay names. */
const sitesOf = ({ header, rename }: ReplayedFile): ReadonlyArray<Enrolment> =>
  (header?.sites ?? []).map(({ environmentId, geometry, name, routers }) => ({
    environment: {
      environmentId: rename(environmentId),
      name: `Replay of ${name}`,
      geometry: geometry === null
        ? null
        : { ...geometry, nodes: geometry.nodes.map((node) => ({ ...node, nodeId: rename(node.nodeId) })) },
    },
    routerIds: routers.map(rename),
  }))

/** What has to be known before files are replayed. */
interface ReplayPlan {
  readonly enrolments: ReadonlyArray<Enrolment>
  readonly empty: ReadonlyArray<EmptyAtFirst>
  /** The files that contain a recorded simulation. */
  readonly simulated: ReadonlyArray<string>
}

/** Reads the routers and environments of the files. */
export const planReplay = Effect.fnUntraced(function* (
  files: ReadonlyArray<string>,
): Effect.fn.Return<ReplayPlan, UnreadableRecording> {
  const named = yield* readFiles(files)
  const captures = named.filter(({ header }) => header === null)
  const environment = { environmentId: "replay", name: "Replay of recordings", geometry: null }
  return {
    enrolments: [
      ...(captures.length === 0 ? [] : [{ environment, routerIds: captures.map(({ routerId }) => routerId) }]),
      ...named.flatMap(sitesOf),
    ],
    empty: named.flatMap((recorded) => {
      const seconds = recorded.header?.emptySeconds ?? 0
      return seconds > 0 ? [{ seconds, routerIds: sitesOf(recorded).flatMap(({ routerIds }) => routerIds) }] : []
    }),
    simulated: named.filter(({ header }) => header !== null && header.capture === undefined).map(({ file }) => file),
  }
})

export interface ReplayOptions {
  readonly files: ReadonlyArray<string>
  /** New time of each file's first packet, milliseconds since the Unix epoch. */
  readonly startMs: number
  /** Restarts when all files have ended. Event time continues. */
  readonly loop: boolean
  /** Packets in a second of the captures without times; null if unknown. */
  readonly rateHz?: number | null
}

/** A replay in progress. */
interface Replay extends HopSource<UnreadableRecording> {
  /** Faults of the recordings so far. */
  readonly faults: () => number
}

/** One pass over the files. */
interface Pass {
  readonly scope: Scope.Closeable
  readonly recordings: ReadonlyArray<Recording>
}

/** Opens the files. They close with the scope. */
export const openReplay = Effect.fnUntraced(function* (
  { files, loop, rateHz = null, startMs }: ReplayOptions,
): Effect.fn.Return<Replay, UnreadableRecording, Scope.Scope> {
  const outer = yield* Effect.scope
  const named = yield* readFiles(files)
  /** First sequence of the next pass, above every sequence of this one. */
  let batchSequence = 1
  let faultsBefore = 0

  const openPass = Effect.fnUntraced(function* (startUs: number): Effect.fn.Return<Pass, UnreadableRecording> {
    const scope = yield* Scope.fork(outer)
    const recordings = yield* Effect.forEach(
      named,
      ({ file, rename, routerId }) => openRecording({ file, routerId, rename, rateHz, startUs, batchSequence }),
    ).pipe(Scope.provide(scope))
    return { scope, recordings }
  })

  const faultsOf = ({ recordings }: Pass): number => recordings.reduce((sum, recording) => sum + recording.faults(), 0)

  let pass = yield* openPass(startMs * 1000)
  /** Hop after the newest one; null before the first. */
  let upcoming: number | null = null
  /** The current pass has had no packet. */
  let empty = true

  const next: Replay["next"] = Effect.gen(function* () {
    while (true) {
      const hops = yield* Effect.forEach(pass.recordings, ({ nextHop }) => nextHop)
      const hop = hops.reduce<number | null>((least, at) => at === null ? least : Math.min(at, least ?? at), null)
      if (hop !== null) {
        empty = false
        const batches = (yield* Effect.forEach(pass.recordings, ({ take }) => take(hop))).flat()
        for (const batch of batches) batchSequence = Math.max(batchSequence, batch.batchSequence + 1)
        // Event time does not decrease when a clock steps back.
        upcoming = Math.max(hop + 1, upcoming ?? 0)
        return { endUs: upcoming * hopUs, batches }
      }
      // A pass without packets would loop for ever.
      if (!loop || empty || upcoming === null) return null
      empty = true
      faultsBefore += faultsOf(pass)
      yield* Scope.close(pass.scope, Exit.void)
      pass = yield* openPass(upcoming * hopUs)
    }
  })

  return { next, faults: () => faultsBefore + faultsOf(pass) }
})
