/**
 * The pace of an environment: which hops it sheds and how much work it spends on the others, so that it stays in real time.
 *
 * Boundary: the decisions are `core/pace`; this counts them and knows the clock. A replay has no pace to keep, so nothing of it is shed.
 *
 * Invariant: every hop of which packets came is estimated, counted as shed here or by a router, or counted as missed by its simulation.
 */
import { Clock, Effect } from "effect"
import { mayFall } from "../../core/activity/fall.ts"
import { afterHop, type Effort, fullEffort, isShed } from "../../core/pace/effort.ts"
import { hopUs } from "../../core/observation/observation.ts"
import { createSourceClock } from "../../core/signal/source-clock.ts"
import { createUsualDelay } from "../../core/pace/usual-delay.ts"
import type { Source } from "../../protocols/domain/provenance.ts"
import type { EnvironmentStatus } from "../../protocols/domain/system.ts"
import type { Hop } from "./hop-assembler.ts"
import type { Site } from "./site.ts"

/** Time after the last shed or missed hop, or reduced effort, during which an environment counts as shedding. */
const shedsForMs = 10_000
/** A source with a longer gap was stopped; in a shorter gap, it left hops out because it was behind. */
const gapHopsMax = 50

interface Pace {
  readonly effort: Effort
  /** Estimates a hop, or skims it when it is shed. Called for every hop, in order. */
  readonly take: (
    hop: Hop,
    newerWaits: boolean,
    estimate: Effect.Effect<void>,
    site: Pick<Site, "estimator">,
  ) => Effect.Effect<void>
  readonly reset: () => void
  readonly read: (nowMs: number) => EnvironmentStatus["pace"]
}

const endMsOf = ({ hop }: Hop): number => ((hop + 1) * hopUs) / 1000

/** The source of a hop that has a pace; null for a replay. */
const pacedSourceOf = ({ observations }: Hop): Exclude<Source, "replay"> | null => {
  const [first] = observations
  return first === undefined || observations.some(({ source }) => source === "replay") ? null : first.source as
    | "live"
    | "simulated"
}

/** The hops that are missing between the hops. */
const createGaps = () => {
  let newestHop: number | null = null
  return {
    /**
     * Which hops are missing before this one: those that routers left out, and those that a simulation left out, except before a stop. What a
     * simulation's routers name only after a later hop, because another router was ahead of them, was in the simulation's gap.
     */
    before: ({ hop, setBack, shedHops }: Hop, source: Source): { readonly router: number; readonly missed: number } => {
      const from = setBack ? null : newestHop
      newestHop = hop
      if (source !== "simulated" || from === null) return { router: shedHops.length, missed: 0 }
      const router = shedHops.filter((shed) => shed > from).length
      const gap = hop - from - 1
      return { router, missed: gap <= gapHopsMax ? gap - router : 0 }
    },
    reset: () => {
      newestHop = null
    },
  }
}

/** What is left out, counted, and when that was last. */
const createCounts = () => {
  const counts = { shedHops: 0, routerHops: 0, missedHops: 0 }
  let lastMs = -Infinity
  return {
    add: (hops: number, of: keyof typeof counts, nowMs: number): void => {
      if (hops === 0) return
      counts[of] += hops
      lastMs = nowMs
    },
    /** Work of a hop was left out. */
    reduced: (nowMs: number): void => void (lastMs = nowMs),
    read: (nowMs: number) => ({ ...counts, sheds: nowMs - lastMs < shedsForMs }),
  }
}

/** @param keeps whether the environment keeps its pace: without it, no hop is shed */
export const makePace = (keeps: boolean): Pace => {
  const clock = createSourceClock()
  const usual = createUsualDelay()
  let state = fullEffort
  const gaps = createGaps()
  let estimatedHop = -Infinity
  const counts = createCounts()
  /** Hops that the source has left out since the last estimated hop. */
  let missedSince = 0

  /** How much older a hop is than hops of its source usually are. */
  const ageMsOf = (hop: Hop, nowMs: number) => usual.beyond(nowMs - endMsOf(hop) - clock.offsetMs(), nowMs)
  const countMissed = (hop: Hop, source: Source, nowMs: number): void => {
    const { missed, router } = gaps.before(hop, source)
    counts.add(router, "routerHops", nowMs)
    counts.add(missed, "missedHops", nowMs)
    missedSince += missed
  }

  const sheds = (hop: Hop, newerWaits: boolean, nowMs: number, { estimator }: Pick<Site, "estimator">): boolean => {
    const source = pacedSourceOf(hop)
    if (!keeps || source === null) return false
    clock.observe(source, endMsOf(hop), nowMs)
    countMissed(hop, source, nowMs)
    const sinceHops = hop.hop - estimatedHop
    const isLeftOut = () =>
      isShed(state, { sinceHops, ageMs: ageMsOf(hop, nowMs), newerWaits, mayFall: estimator.samples.some(mayFall) })
    if (hop.setBack || !isLeftOut()) {
      estimatedHop = hop.hop
      return false
    }
    counts.add(1, "shedHops", nowMs)
    return true
  }
  const estimated = (hop: Hop, costMs: number, nowMs: number): void => {
    if (!keeps || pacedSourceOf(hop) === null) return
    state = afterHop(state, { nowMs, ageMs: ageMsOf(hop, nowMs), costMs, missedHops: missedSince })
    missedSince = 0
    if (state.effort !== "full") counts.reduced(nowMs)
  }

  return {
    get effort() {
      return state.effort
    },
    take: Effect.fnUntraced(function* (hop, newerWaits, estimate, site) {
      const startMs = yield* Clock.currentTimeMillis
      if (sheds(hop, newerWaits, startMs, site)) return site.estimator.skim(hop.observations)
      yield* estimate
      const nowMs = yield* Clock.currentTimeMillis
      estimated(hop, nowMs - startMs, nowMs)
    }),
    reset: () => {
      clock.reset()
      usual.reset()
      state = fullEffort
      gaps.reset()
      missedSince = 0
      estimatedHop = -Infinity
    },
    read: (nowMs) => ({ effort: state.effort, ...counts.read(nowMs) }),
  }
}
