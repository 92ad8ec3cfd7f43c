/**
 * Why acknowledged hops have no frame. Pure.
 *
 * A room that moves loses the hop that its last node had in its memory: a claim lies between the frames around such a hop, or is new, and the
 * hops that the last node has shed are not known. A room that stays loses only what its node says that it has shed, because the processor was
 * short.
 */
import { type HistoryFrame, lostMoments } from "../../../sim/cluster/checker.ts"

/** A claim and the first frames after it are this many ids apart at most. */
const nearIds = 3

/** Acknowledged hops without a frame, by their event times. */
export interface Lost {
  readonly moved: ReadonlyArray<number>
  readonly stayed: ReadonlyArray<number>
  /** Hops that the room has shed meanwhile. */
  readonly shed: number
}

interface Seen {
  readonly acknowledgedMs: ReadonlyArray<number>
  readonly frames: ReadonlyArray<Pick<HistoryFrame, "frameId" | "timestampMs">>
  /** Ids of the newest frame at each claim of the room. */
  readonly claims: ReadonlyArray<number>
  /** Hops that the room's activation has shed. */
  readonly shedHops: number
}

/** The losses of one room, each of which is told once. */
export class LostHops {
  readonly #told = new Set<number>()
  #claims = 0
  #shedHops = 0
  /** Hops that were shed and not told as lost: they may not have had a later frame. */
  #shedBefore = 0

  /** What was lost since the last call. */
  judge({ acknowledgedMs, claims, frames, shedHops }: Seen): Lost {
    const lost = lostMoments(acknowledgedMs, frames).filter((ms) => !this.#told.has(ms))
    for (const ms of lost) this.#told.add(ms)
    const hasMoved = claims.length > this.#claims
    this.#claims = claims.length
    const isOfMove = (ms: number): boolean => {
      const next = frames.find(({ timestampMs }) => timestampMs > ms)!.frameId
      return hasMoved || claims.some((id) => Math.abs(next - 1 - id) <= nearIds)
    }
    const [moved, stayed] = [lost.filter(isOfMove), lost.filter((ms) => !isOfMove(ms))]
    // A new activation counts from zero.
    const shed = shedHops >= this.#shedHops ? shedHops - this.#shedHops + this.#shedBefore : shedHops
    this.#shedHops = shedHops
    this.#shedBefore = Math.max(0, shed - stayed.length)
    return { moved, stayed, shed }
  }
}
