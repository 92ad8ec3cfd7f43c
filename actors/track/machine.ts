/**
 * The life of a track as a pure machine: how sure we are that there still is a person.
 *
 * One hop is one step: `MATCHED` when a detection was associated, `MISSED` when none was. Tracks are supervised by their
 * environment and live inside it.
 */
import { assign, setup, type SnapshotFrom } from "xstate"
import type { TrackStatus } from "../../protocols/domain/pose.ts"

/** Limits in hops of 100 ms. */
export interface TrackLimits {
  /** Matches before a tentative track is active. */
  readonly hitsMin: number
  /** Misses after which an active track is lost. */
  readonly missesMax: number
  /** Misses after which a lost track ends. */
  readonly lostMax: number
}

export const defaultTrackLimits: TrackLimits = { hitsMin: 3, missesMax: 15, lostMax: 60 }

export type TrackEvent = { readonly type: "MATCHED" } | { readonly type: "MISSED" }

interface TrackContext {
  readonly limits: TrackLimits
  /** Consecutive misses. */
  readonly misses: number
  readonly hits: number
  /** Hops since the birth. */
  readonly age: number
}

export const trackMachine = setup({
  types: { context: {} as TrackContext, events: {} as TrackEvent, input: {} as TrackLimits },
  guards: {
    enoughHits: ({ context }) => context.hits + 1 >= context.limits.hitsMin,
    tooManyMisses: ({ context }) => context.misses + 1 >= context.limits.missesMax,
    lostTooLong: ({ context }) => context.misses + 1 >= context.limits.lostMax,
  },
  actions: {
    hit: assign(({ context }) => ({ misses: 0, hits: context.hits + 1, age: context.age + 1 })),
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
        /** Noise rarely repeats itself: one miss ends a track that was never confirmed. */
        MISSED: { target: "ended", actions: "miss" },
      },
    },
    active: {
      on: {
        MATCHED: { actions: "hit" },
        MISSED: [{ guard: "tooManyMisses", target: "lost", actions: "miss" }, { actions: "miss" }],
      },
    },
    lost: {
      on: {
        MATCHED: { target: "active", actions: "hit" },
        MISSED: [{ guard: "lostTooLong", target: "ended", actions: "miss" }, { actions: "miss" }],
      },
    },
    ended: { type: "final" },
  },
})

export type TrackSnapshot = SnapshotFrom<typeof trackMachine>

/** The status as frames name it. */
export const statusOf = (snapshot: TrackSnapshot): TrackStatus => snapshot.value
