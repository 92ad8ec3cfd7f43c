/**
 * What a person is told to do, as data.
 *
 * Owns the steps of a script and the weights of a daily life. Boundary: `behaviour.ts` does them.
 */
import type { Place } from "./floor-plan.ts"

export const gestures = ["wave", "reach", "fold-arms", "talk"] as const
export type Gesture = typeof gestures[number]

export const fallDirections = ["forward", "backward", "left", "right"] as const
export type FallDirection = typeof fallDirections[number]

/** One thing to do. A person gets up, walks and turns as a step needs it. Seats, beds and doors are named by their ids. */
export type Step =
  /** Comes in through an outer door. */
  | { readonly do: "enter"; readonly door: string }
  /** Goes out through an outer door and stays away for `seconds` (0). */
  | { readonly do: "leave"; readonly door: string; readonly seconds?: number }
  /** To a place, or beside it where somebody is. */
  | { readonly do: "walk"; readonly to: Place }
  | { readonly do: "stand"; readonly seconds: number; readonly gesture?: Gesture }
  /** On the named seat, or on a free one that is drawn if somebody has it. Where no seat is free, and no bed, one stands. */
  | { readonly do: "sit"; readonly seat?: string; readonly seconds: number; readonly gesture?: Gesture }
  | { readonly do: "lie"; readonly bed?: string; readonly seconds: number }
  /**
   * Falls where it stands, or in mid walk with `walking`; lies for `seconds` (5 at least) and gets up over its knees.
   * Who doesn't recover stays there: the steps after it are not done. Without a direction, one that has room is drawn;
   * where the home has no room for it, nobody falls.
   */
  | {
    readonly do: "fall"
    readonly seconds: number
    readonly recover: boolean
    readonly direction?: FallDirection
    readonly walking?: boolean
  }
  | { readonly do: "sit-fast"; readonly seat?: string; readonly seconds?: number }
  /** Sits down on the floor quickly, and stays for `seconds` (5). */
  | { readonly do: "drop-to-floor"; readonly seconds?: number }
  | { readonly do: "pick-up" }
  | { readonly do: "kneel"; readonly seconds: number }
  | { readonly do: "jump" }

/** What an endless daily life is drawn from; 0 never happens. */
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
}

export type Behaviour =
  /** Steps in turn; after the last one from the first again with `loop`, else the person stays as it is. */
  | { readonly kind: "script"; readonly steps: ReadonlyArray<Step>; readonly loop: boolean }
  /** An endless random mix; weights that are left out are those of `dailyWeights`. */
  | { readonly kind: "daily"; readonly weights?: Partial<DailyWeights> }
