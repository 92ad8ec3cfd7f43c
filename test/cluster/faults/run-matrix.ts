/** Injects faults one after the other, and judges what came of each. */
import { startForeignLoad } from "../../harness/foreign-load.ts"
import type { FaultCase, FaultWorld, Judgement } from "./world.ts"

/** Others than the harness use no more of the processors of a quiet machine. */
const quietCoresMax = 0.3

export interface FaultRow {
  readonly fault: string
  /** The longest time between two frames of a room, at a reader that stays connected, from the fault until all rooms have new frames. Null: they did not. */
  readonly silenceMs: number | null
  /** The silence that is expected at most, when the machine has nothing else to do. */
  readonly limitMs: number
  /** Whether silence and lost hops were within what is expected of such a machine. */
  readonly within: boolean
  /** Whether the machine had nothing else to do. */
  readonly isQuiet: boolean
  /** Writes of each kind that were answered as done. */
  readonly writes: Readonly<Record<string, number>>
  /** Acknowledged hops of all rooms without a frame. */
  readonly lostHops: number
  readonly violations: ReadonlyArray<string>
  /** Limits that hold on a machine with nothing else to do, and were exceeded. */
  readonly exceeded: ReadonlyArray<string>
}

/** The rooms that moved and lost more than these. */
const lossesOfMoves = ({ lost }: Judgement, hopsMax: number): ReadonlyArray<string> =>
  [...lost].filter(([, { moved }]) => moved.length > hopsMax)
    .map(([room, { moved }]) => `${room} moved and lost ${moved.length} acknowledged hops: ${moved.join(", ")}`)

/** The rooms that stayed and lost more than they have shed. */
const untoldLosses = ({ lost }: Judgement): ReadonlyArray<string> =>
  [...lost].filter(([, { shed, stayed }]) => stayed.length > shed)
    .map(([room, { shed, stayed }]) =>
      `${room} stayed and lost ${stayed.length} acknowledged hops, of which it has shed ${shed}: ${stayed.join(", ")}`
    )

/** Injects faults one after the other, and judges after each. */
export const runMatrix = async (
  world: FaultWorld,
  cases: ReadonlyArray<FaultCase>,
  told: (row: FaultRow) => void = () => {},
): Promise<ReadonlyArray<FaultRow>> => {
  const rows: Array<FaultRow> = []
  for (const { after, limitMs, lostHopsMax = 0, name, run } of cases) {
    await world.settle()
    // What the move after the last fault has lost is not of this one.
    await world.judge()
    world.writers.begin()
    const sinceMs = performance.now()
    const othersCores = startForeignLoad()
    // A cluster that does not recover is a finding, as those of the checker are.
    const failure = await run(world).then(() => world.settle()).then(() => null, (error: Error) => error.message)
    const silenceMs = failure === null ? world.silenceMs(sinceMs) : null
    const judgement = await world.judge()
    const { lost, violations } = judgement
    const exceeded = [
      ...silenceMs === null || silenceMs <= limitMs
        ? []
        : [`a silence of ${silenceMs} ms, at most ${limitMs} expected`],
      ...lostHopsMax === null ? [] : lossesOfMoves(judgement, lostHopsMax),
    ]
    const row: FaultRow = {
      fault: name,
      silenceMs,
      limitMs,
      within: exceeded.length === 0,
      isQuiet: othersCores() <= quietCoresMax,
      writes: world.writers.done(),
      lostHops: [...lost.values()].reduce((sum, { moved, stayed }) => sum + moved.length + stayed.length, 0),
      violations: [
        ...failure === null ? [] : [`not recovered: ${failure}`],
        ...violations,
        ...lostHopsMax === null ? [] : untoldLosses(judgement),
      ],
      exceeded,
    }
    told(row)
    rows.push(row)
    await after?.(world)
  }
  return rows
}
