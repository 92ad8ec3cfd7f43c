/**
 * A comparison of two backends on a machine under other load.
 *
 * Both run the same calls in turn, so that other load slows both alike. The result is the median ratio of the rounds, in several series at
 * different times. The number of rounds and series and the time of each are bounded.
 */
import { Clock, Effect } from "effect"
import type { KernelBackend } from "./kernel-backend.ts"
import type { Trial } from "./kernel-choice.ts"

const seriesCount = 3
const roundsPerSeries = 9
const seriesPause = "20 seconds"
const roundPause = "200 millis"
const seriesTimeout = "30 seconds"
/** Largest share of the incumbent's time, in every series, at which the challenger replaces it. */
export const ratioMax = 0.5

/** Time of one call of each kernel that both backends have, in nanoseconds. */
const timeOf = Effect.fnUntraced(function* (backend: KernelBackend, trials: ReadonlyArray<Trial>) {
  const startNs = yield* Clock.monotonicTimeNanos
  for (const { judgement: { expected, inputs, params }, kernel } of trials) {
    yield* Effect.tryPromise(() => backend.run(kernel, params, inputs, new Float32Array(expected.length)))
  }
  return Number((yield* Clock.monotonicTimeNanos) - startNs)
})

/** Time of the challenger over that of the incumbent. The first backend alternates between rounds. */
const ratioOf = Effect.fnUntraced(function* (
  [incumbent, challenger]: readonly [KernelBackend, KernelBackend],
  trials: ReadonlyArray<Trial>,
  round: number,
) {
  const first = yield* timeOf(round % 2 === 0 ? incumbent : challenger, trials)
  const second = yield* timeOf(round % 2 === 0 ? challenger : incumbent, trials)
  return round % 2 === 0 ? second / first : first / second
})

const medianOf = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

/** Median ratio of a series. Its first round is a warm-up and not counted. */
const series = Effect.fnUntraced(function* (
  pair: readonly [KernelBackend, KernelBackend],
  trials: ReadonlyArray<Trial>,
) {
  const ratios: Array<number> = []
  for (let round = 0; round <= roundsPerSeries; round++) {
    const ratio = yield* ratioOf(pair, trials, round)
    if (round > 0) ratios.push(ratio)
    yield* Effect.sleep(roundPause)
  }
  return medianOf(ratios)
}, Effect.timeout(seriesTimeout))

/** The largest median ratio of the series; ends with the first series above `ratioMax`. Fails when a call fails. */
export const compare = Effect.fnUntraced(function* (
  incumbent: KernelBackend,
  challenger: KernelBackend,
  trials: ReadonlyArray<Trial>,
) {
  const shared = trials.filter(({ kernel }) =>
    incumbent.has(kernel, kernel.trial) && challenger.has(kernel, kernel.trial)
  )
  let worst = 0
  for (let i = 0; i < seriesCount && worst <= ratioMax; i++) {
    if (i > 0) yield* Effect.sleep(seriesPause)
    worst = Math.max(worst, yield* series([incumbent, challenger], shared))
  }
  return worst
})
