/**
 * The life of a track as a pure machine: how sure we are that there still is a person.
 *
 * One hop is one event. `MATCHED`: a detection of a person was associated. `SEEN`: one was, but nothing shows yet that it is of a person;
 * it counts, and confirms nobody by itself. `HELD`: none was that counts, and none is missed, because the person stands where an echo is
 * still heard, or close to somebody who hides them. `MISSED`: none was and one should have been. `FADED`: what was heard leaves no belief
 * in a person. Tracks are supervised by their environment and live inside it.
 */
import { assign, setup, type SnapshotFrom } from "xstate"
import { defaultDetection, type DetectionSettings } from "../../protocols/domain/configuration.ts"
import type { TrackStatus } from "../../protocols/domain/pose.ts"

/** Limits in hops of 100 ms. */
export interface TrackLimits {
  /** Hops in which it was seen, before a tentative track is active. */
  readonly hitsMin: number
  /** Misses in a row after which a tentative track ends. */
  readonly tentativeMissesMax: number
  /** Misses in a row after which an active track is lost. */
  readonly missesMax: number
  /** Misses in a row after which a lost track ends. */
  readonly lostMax: number
}

/** Misses that a tentative and an active track bear, where the greatest age of a track does not forbid it. */
const tentativeMissesMax = 4
const missesMax = 15

/** The limits that a configuration asks for. */
export const trackLimitsOf = (
  { trackingMaxAgeFrames, trackingMinHits }: Pick<DetectionSettings, "trackingMaxAgeFrames" | "trackingMinHits">,
): TrackLimits => ({
  hitsMin: trackingMinHits,
  tentativeMissesMax: Math.min(tentativeMissesMax, trackingMaxAgeFrames),
  missesMax: Math.min(missesMax, trackingMaxAgeFrames),
  lostMax: trackingMaxAgeFrames,
})

export const defaultTrackLimits: TrackLimits = trackLimitsOf(defaultDetection)

const trackEvents = ["MATCHED", "SEEN", "HELD", "MISSED", "FADED"] as const
export type TrackEvent = { readonly type: typeof trackEvents[number] }

interface TrackContext {
  readonly limits: TrackLimits
  /** Consecutive misses. */
  readonly misses: number
  readonly hits: number
  /** Hops since the birth. */
  readonly age: number
}

/** What is heard or seen where somebody was lost is no proof that it is theirs: as good as nothing. */
const unproven = [{ guard: "lostTooLong", target: "ended", actions: "miss" }, { actions: "miss" }] as const

export const trackMachine = setup({
  types: { context: {} as TrackContext, events: {} as TrackEvent, input: {} as TrackLimits },
  guards: {
    enoughHits: ({ context }) => context.hits + 1 >= context.limits.hitsMin,
    missedTooOften: ({ context }) => context.misses + 1 >= context.limits.tentativeMissesMax,
    tooManyMisses: ({ context }) => context.misses + 1 >= context.limits.missesMax,
    lostTooLong: ({ context }) => context.misses + 1 >= context.limits.lostMax,
  },
  actions: {
    hit: assign(({ context }) => ({ misses: 0, hits: context.hits + 1, age: context.age + 1 })),
    hold: assign(({ context }) => ({ misses: 0, age: context.age + 1 })),
    wait: assign(({ context }) => ({ age: context.age + 1 })),
    miss: assign(({ context }) => ({ misses: context.misses + 1, age: context.age + 1 })),
  },
}).createMachine({
  id: "track",
  initial: "tentative",
  context: ({ input }) => ({ limits: input, misses: 0, hits: 1, age: 1 }),
  states: {
    tentative: {
      on: {
        MATCHED: [{ guard: "enoughHits", target: "active", actions: "hit" }, { actions: "hit" }],
        SEEN: { actions: "hit" },
        HELD: { actions: "wait" },
        /** Beside others a person is seen in every other window, so one miss does not end a track that was never confirmed. */
        MISSED: [{ guard: "missedTooOften", target: "ended", actions: "miss" }, { actions: "miss" }],
        FADED: { target: "ended", actions: "miss" },
      },
    },
    active: {
      on: {
        MATCHED: { actions: "hit" },
        SEEN: { actions: "hold" },
        HELD: { actions: "hold" },
        MISSED: [{ guard: "tooManyMisses", target: "lost", actions: "miss" }, { actions: "miss" }],
        FADED: { target: "lost", actions: "miss" },
      },
    },
    lost: {
      on: {
        MATCHED: { target: "active", actions: "hit" },
        SEEN: unproven,
        HELD: unproven,
        MISSED: unproven,
        FADED: { target: "ended", actions: "miss" },
      },
    },
    ended: { type: "final" },
  },
})

export type TrackSnapshot = SnapshotFrom<typeof trackMachine>

/** The status as frames name it. */
export const statusOf = (snapshot: TrackSnapshot): TrackStatus => snapshot.value
