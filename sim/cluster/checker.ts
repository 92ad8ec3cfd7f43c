/**
 * The checker of a simulated cluster: judges what clients saw and what the history holds. Pure.
 *
 * 1. A frame that a client saw is in the history, with the same content.
 * 2. The ids of an environment are 1..N in the order in which they were written, and no moment has two frames.
 * 3. A client sees ids in ascending order, without a gap.
 * 4. No process writes frames of an environment whose shard another process holds, once that one has begun to run it.
 * 5. When all faults are over, every environment has new frames.
 * 6. A hop that was acknowledged has a frame, unless a node could end with it in its memory: frames are in the order of their moments, so an
 *    acknowledged moment without one before the newest frame is lost. Those that may be lost are counted by `lostMoments`.
 */

/** A frame as a client received it. */
export interface SeenFrame {
  readonly frameId: number
  readonly timestampMs: number
  readonly digest: string
}

/** A frame as it is stored. */
export interface HistoryFrame extends SeenFrame {
  readonly writer: string
  readonly owner: string | null
}

/** What one client saw of an environment. */
interface Watched {
  readonly client: string
  readonly environmentId: string
  readonly frames: ReadonlyArray<SeenFrame>
}

export interface Evidence {
  readonly history: ReadonlyMap<string, ReadonlyArray<HistoryFrame>>
  readonly watched: ReadonlyArray<Watched>
  /** Event times that must have a frame, of each environment. Absent: they are not judged. */
  readonly acknowledged?: ReadonlyMap<string, ReadonlyArray<number>>
  /** Event time before which the newest frame of every environment may not be. */
  readonly freshMs: number
}

const historyViolations = (environmentId: string, frames: ReadonlyArray<HistoryFrame>): ReadonlyArray<string> => {
  const found: Array<string> = []
  const moments = new Map<number, number>()
  for (const [i, { frameId, owner, timestampMs, writer }] of frames.entries()) {
    if (frameId !== i + 1) found.push(`${environmentId}: row ${i + 1} of the history has the id ${frameId}`)
    const other = moments.get(timestampMs)
    if (other !== undefined) {
      found.push(`${environmentId}: frames ${other} and ${frameId} are of the same moment ${timestampMs}`)
    }
    moments.set(timestampMs, frameId)
    if (owner !== null && owner !== writer) {
      found.push(`${environmentId}: ${writer} wrote frame ${frameId} while ${owner} owned it`)
    }
  }
  return found
}

const clientViolations = (
  { client, environmentId, frames }: Watched,
  history: ReadonlyMap<number, HistoryFrame>,
): ReadonlyArray<string> => {
  const found: Array<string> = []
  let before: number | null = null
  for (const { digest, frameId } of frames) {
    const stored = history.get(frameId)
    if (stored === undefined) {
      found.push(`${client}: frame ${frameId} of ${environmentId} was seen and is not in the history`)
    } else if (stored.digest !== digest) {
      found.push(`${client}: frame ${frameId} of ${environmentId} differs from the history`)
    }
    if (before !== null && frameId !== before + 1) {
      found.push(`${client}: frame ${frameId} of ${environmentId} came after ${before}`)
    }
    before = frameId
  }
  return found
}

/** The acknowledged moments that have no frame and will not have one. */
export const lostMoments = (
  acknowledgedMs: ReadonlyArray<number>,
  frames: ReadonlyArray<Pick<HistoryFrame, "timestampMs">>,
): ReadonlyArray<number> => {
  const made = new Set(frames.map(({ timestampMs }) => timestampMs))
  const newestMs = Math.max(...made)
  return acknowledgedMs.filter((ms) => ms < newestMs && !made.has(ms)).sort((a, b) => a - b)
}

/** What is wrong; empty: nothing. */
export const violationsOf = ({ acknowledged, freshMs, history, watched }: Evidence): ReadonlyArray<string> => [
  ...[...history].flatMap(([environmentId, frames]) => historyViolations(environmentId, frames)),
  ...watched.flatMap((one) =>
    clientViolations(one, new Map((history.get(one.environmentId) ?? []).map((frame) => [frame.frameId, frame])))
  ),
  ...[...acknowledged ?? []].flatMap(([environmentId, timesMs]) =>
    lostMoments(timesMs, history.get(environmentId) ?? [])
      .map((ms) => `${environmentId}: the hop of ${ms} was acknowledged and has no frame`)
  ),
  ...[...history].flatMap(([environmentId, frames]) => {
    const newestMs = frames.at(-1)?.timestampMs ?? -Infinity
    return newestMs >= freshMs ? [] : [`${environmentId}: no frame is newer than ${newestMs}, expected ${freshMs}`]
  }),
]
