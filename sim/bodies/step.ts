/**
 * The instructions of a person, as data.
 *
 * Owns the steps of a script and the weights of a daily life. Boundary: `behaviour.ts` performs them.
 */
import type { Place } from "../rooms/floor-plan.ts"

export const gestures = ["wave", "reach", "fold-arms", "talk"] as const
export type Gesture = typeof gestures[number]

export const fallDirections = ["forward", "backward", "left", "right"] as const
export type FallDirection = typeof fallDirections[number]

export const paces = ["slow", "usual", "fast"] as const
export type Pace = typeof paces[number]

/** One instruction. A person gets up, walks and turns as a step requires. Seats, beds and doors are named by their ids. */
export type Step =
  /** Enters through an outer door. */
  | { readonly do: "enter"; readonly door: string }
  /** Leaves through an outer door and stays away for `seconds` (default 0). */
  | { readonly do: "leave"; readonly door: string; readonly seconds?: number }
  /** Walks to a place, or beside it when it is taken. */
  | { readonly do: "walk"; readonly to: Place; readonly backwards?: boolean }
  /** Turns on the spot by an angle within half a turn, counterclockwise if positive. */
  | { readonly do: "turn"; readonly byRad: number; readonly fast?: boolean }
  | { readonly do: "stand"; readonly seconds: number; readonly gesture?: Gesture }
  /** On the named seat, or on a random free one when it is taken. Without a free seat, or bed for `lie`, the person stands. */
  | { readonly do: "sit"; readonly seat?: string; readonly seconds: number; readonly gesture?: Gesture }
  | { readonly do: "lie"; readonly bed?: string; readonly seconds: number; readonly pace?: Pace }
  /** Sits down on the floor and lies back on purpose, then gets up over the knees. Without room for this the person stands. */
  | { readonly do: "lie-on-floor"; readonly seconds: number; readonly pace?: Pace }
  /**
   * Falls on the spot, or while walking with `walking`; lies for `seconds` (at least 5) and gets up over the knees. Without
   * `recover` the person stays there and skips the remaining steps. Without a direction, one with enough room is drawn; without
   * enough room in the home the person does not fall.
   */
  | {
    readonly do: "fall"
    readonly seconds: number
    readonly recover: boolean
    readonly direction?: FallDirection
    readonly walking?: boolean
  }
  | { readonly do: "sit-fast"; readonly seat?: string; readonly seconds?: number }
  /** Sits down on the floor quickly and stays for `seconds` (default 5). */
  | { readonly do: "drop-to-floor"; readonly seconds?: number }
  | { readonly do: "sit-on-floor"; readonly seconds: number }
  | { readonly do: "pick-up" }
  | { readonly do: "kneel"; readonly seconds: number }
  | { readonly do: "jump" }
  /**
   * Moves as in clips of `sim/motion-capture`, in this order, at `rate` times the speed of the capture (default 1) and, if `reversed`,
   * backwards in time; clips that do not fit into the room are left out.
   */
  | {
    readonly do: "captured"
    readonly clips: ReadonlyArray<string>
    readonly rate?: number
    readonly reversed?: boolean
  }

/** Relative frequencies of the steps of an endless daily life; a step with weight 0 never happens. */
export interface DailyWeights {
  readonly walk: number
  readonly stand: number
  readonly gesture: number
  readonly sit: number
  readonly lie: number
  readonly leave: number
  readonly fall: number
  readonly "sit-fast": number
  readonly "drop-to-floor": number
  readonly "pick-up": number
  readonly kneel: number
  readonly jump: number
  readonly "walk-backwards": number
  readonly turn: number
  readonly "sit-on-floor": number
  readonly "lie-on-floor": number
}

export type Behaviour =
  /** Steps in order; after the last one the script repeats with `loop`, otherwise the person keeps the posture. */
  | { readonly kind: "script"; readonly steps: ReadonlyArray<Step>; readonly loop: boolean }
  /** An endless random mix; omitted weights are those of `dailyWeights`. */
  | { readonly kind: "daily"; readonly weights?: Partial<DailyWeights> }
