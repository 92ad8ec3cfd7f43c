/**
 * The life of a track as a pure machine: whether it is of a person, and whether the person is still there.
 *
 * Each event has the hops by which the track becomes older. An image is one event; for a confirmed track that it misses, one for each
 * hop. `MATCHED`: a detection of a person was associated. `SEEN`: a detection was associated, without
 * evidence yet that it is of a person; it counts, but does not confirm the track. `HELD`: no detection counts and none is missing, because
 * the person stands where an echo remains, or is hidden by another person. `MISSED`: a detection is missing. `LEFT`: it is missing, because
 * the person has walked out of the room. `FADED`: the existence is too low. `SILENT`: no CSI came in these hops, so it is not known whether
 * the person is still there. Tracks are supervised by their environment and live inside it.
 */
import { assign, setup, type SnapshotFrom } from "xstate"
import { defaultDetection, type DetectionSettings } from "../../protocols/domain/configuration.ts"
import type { TrackStatus } from "../../protocols/domain/pose.ts"

/** Limits in hops of 100 ms. */
export interface TrackLimits {
  /** Hops with a detection before a tentative track is active. */
  readonly hitsMin: number
  /** Misses in a row after which a tentative track ends. */
  readonly tentativeMissesMax: number
  /** Misses in a row after which an active track is lost. */
  readonly missesMax: number
  /** Misses in a row after which a lost track ends. */
  readonly lostMax: number
}

/** Misses that a tentative and an active track survive, unless the greatest age of a track is less. */
const tentativeMissesMax = 4
const missesMax = 15

/** The limits of a configuration. */
export const trackLimitsOf = (
  { trackingMaxAgeFrames, trackingMinHits }: Pick<DetectionSettings, "trackingMaxAgeFrames" | "trackingMinHits">,
): TrackLimits => ({
  hitsMin: trackingMinHits,
  tentativeMissesMax: Math.min(tentativeMissesMax, trackingMaxAgeFrames),
  missesMax: Math.min(missesMax, trackingMaxAgeFrames),
  lostMax: trackingMaxAgeFrames,
})

export const defaultTrackLimits: TrackLimits = trackLimitsOf(defaultDetection)

const hopEvents = ["MATCHED", "SEEN", "HELD", "MISSED", "LEFT", "FADED"] as const
/** The type of the event of an image. */
export type HopEventType = typeof hopEvents[number]
/** `hops`: those by which the track becomes older. */
type TrackEvent = { readonly type: HopEventType | "SILENT"; readonly hops: number }

interface TrackContext {
  readonly limits: TrackLimits
  /** Consecutive misses. */
  readonly misses: number
  readonly hits: number
  /** Hops since the birth. */
  readonly age: number
}

/** An unproven detection near a lost track may be of another person: it counts as a miss. */
const unproven = [{ guard: "lostTooLong", target: "ended", actions: "miss" }, { actions: "miss" }] as const

/** Beside others a person is detected in every other window, so one miss does not end an unconfirmed track. */
const missedEarly = [{ guard: "missedTooOften", target: "ended", actions: "miss" }, { actions: "miss" }] as const

export const trackMachine = setup({
  types: { context: {} as TrackContext, events: {} as TrackEvent, input: {} as TrackLimits },
  guards: {
    enoughHits: ({ context }) => context.hits + 1 >= context.limits.hitsMin,
    missedTooOften: ({ context }) => context.misses + 1 >= context.limits.tentativeMissesMax,
    tooManyMisses: ({ context }) => context.misses + 1 >= context.limits.missesMax,
    lostTooLong: ({ context }) => context.misses + 1 >= context.limits.lostMax,
    silentTooLong: ({ context, event }) => context.misses + event.hops >= context.limits.lostMax,
  },
  actions: {
    hit: assign(({ context, event }) => ({ misses: 0, hits: context.hits + 1, age: context.age + event.hops })),
    hold: assign(({ context, event }) => ({ misses: 0, age: context.age + event.hops })),
    wait: assign(({ context, event }) => ({ age: context.age + event.hops })),
    miss: assign(({ context, event }) => ({ misses: context.misses + 1, age: context.age + event.hops })),
    missAll: assign(({ context, event }) => ({ misses: context.misses + event.hops, age: context.age + event.hops })),
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
        MISSED: missedEarly,
        LEFT: missedEarly,
        FADED: { target: "ended", actions: "miss" },
        SILENT: { target: "ended", actions: "missAll" },
      },
    },
    active: {
      on: {
        MATCHED: { actions: "hit" },
        SEEN: { actions: "hold" },
        HELD: { actions: "hold" },
        MISSED: [{ guard: "tooManyMisses", target: "lost", actions: "miss" }, { actions: "miss" }],
        LEFT: { target: "lost", actions: "miss" },
        FADED: { target: "lost", actions: "miss" },
        SILENT: [
          { guard: "silentTooLong", target: "ended", actions: "missAll" },
          { target: "lost", actions: "missAll" },
        ],
      },
    },
    lost: {
      on: {
        MATCHED: { target: "active", actions: "hit" },
        SEEN: unproven,
        HELD: unproven,
        MISSED: unproven,
        LEFT: unproven,
        FADED: { target: "ended", actions: "miss" },
        SILENT: [{ guard: "silentTooLong", target: "ended", actions: "missAll" }, { actions: "missAll" }],
      },
    },
    ended: { type: "final" },
  },
})

export type TrackSnapshot = SnapshotFrom<typeof trackMachine>

/** A snapshot as plain data, and back. */
export interface TrackLife {
  readonly status: TrackStatus
  readonly limits: TrackLimits
  readonly misses: number
  readonly hits: number
  readonly age: number
}

export const lifeOf = ({ context, value }: TrackSnapshot): TrackLife => ({ status: value, ...context })

export const snapshotOf = ({ status, ...context }: TrackLife): TrackSnapshot =>
  trackMachine.resolveState({ value: status, context })

/** The status as frames name it. */
export const statusOf = (snapshot: TrackSnapshot): TrackStatus => snapshot.value
