/**
 * Random bodies and their behaviour: an endless daily life, or a script of random steps.
 */
import type { Vector3 } from "../../core/imaging/geometry.ts"
import { isWithin, type Place, type Rectangle } from "../rooms/floor-plan.ts"
import { type DailyWeights, gestures, type Pace, paces, type Step } from "../bodies/step.ts"
import { type Random, uniformIn } from "../randomness/random.ts"
import type { Person } from "../scenario/persons.ts"
import { type ClipFamily, clipNames, forwardWalks } from "../motion-capture/families.ts"
import { chance, drawInteger, drawNormal, drawOne, rounded } from "./draws.ts"
import type { RoomLayout } from "./room-layout.ts"

/** How persons of a suite spend their time. */
export type SuiteBehaviour =
  /** A daily life with these weights. */
  | { readonly kind: "daily"; readonly weights?: Partial<DailyWeights> }
  /**
   * Random steps for training, every kind equally often; with `fallTimes` above 1, falls are shorter and this many times as frequent.
   * `wide` adds walking backwards, turning, and sitting and lying down on the floor and at any pace; `captured` adds clips of a family,
   * some of them reversed and all at any speed.
   */
  | {
    readonly kind: "scripted"
    readonly fallTimes?: number
    readonly wide?: boolean
    readonly captured?: ClipFamily
  }
  /** Only clips of a family, or only its walks, with pauses; `varied`: some reversed, and all at any speed. */
  | { readonly kind: "captured"; readonly family: ClipFamily; readonly walks?: boolean; readonly varied?: boolean }
  /** A walk and a fall, after which the person stays on the floor. */
  | { readonly kind: "long-lie" }
  /** Short stays in the room: in through the door, a walk or two, out again for some seconds, and so on. */
  | { readonly kind: "visits" }

const nothing: DailyWeights = {
  walk: 0,
  stand: 0,
  gesture: 0,
  sit: 0,
  lie: 0,
  leave: 0,
  fall: 0,
  "sit-fast": 0,
  "drop-to-floor": 0,
  "pick-up": 0,
  kneel: 0,
  jump: 0,
  "walk-backwards": 0,
  turn: 0,
  "sit-on-floor": 0,
  "lie-on-floor": 0,
}

/** A daily life of nothing but the given steps. */
export const only = (weights: Partial<DailyWeights>): SuiteBehaviour => ({
  kind: "daily",
  weights: { ...nothing, ...weights },
})

const stepsMin = 8
const stepsMax = 16
/** Share of the scripts that end outside; the others restart inside. */
const leavingShare = 0.3
const wallDistanceM = 0.6
const attemptsMax = 30

/** A place without furniture. */
const drawPlace = (size: Vector3, taken: ReadonlyArray<Rectangle>, random: Random): Place => {
  for (let attempt = 0;; attempt++) {
    const place: Place = [
      rounded(uniformIn(random, wallDistanceM, size[0] - wallDistanceM), 2),
      rounded(uniformIn(random, wallDistanceM, size[1] - wallDistanceM), 2),
    ]
    if (attempt === attemptsMax || taken.every((rectangle) => !isWithin(place, rectangle, 0.4))) return place
  }
}

/** Kinds of steps that `wide` adds. */
const wideKinds = (
  seconds: (low: number, high: number) => number,
  place: () => Place,
  beds: RoomLayout["beds"],
  random: Random,
): ReadonlyArray<() => Step> => {
  const turn = (fast: boolean): Step => ({ do: "turn", byRad: rounded(uniformIn(random, -Math.PI, Math.PI), 2), fast })
  const lie = (pace: Pace): Step => ({ do: "lie", seconds: seconds(6, 20), pace })
  return [
    () => ({ do: "walk", to: place(), backwards: true }),
    () => ({ do: "walk", to: place(), backwards: true }),
    () => turn(true),
    () => turn(false),
    () => ({ do: "stand", seconds: seconds(4, 10), gesture: "talk" }),
    () => ({ do: "sit-on-floor", seconds: seconds(3, 8) }),
    () => ({ do: "lie-on-floor", seconds: seconds(5, 12), pace: drawOne(random, paces) }),
    ...(beds.length === 0 ? [] : [() => lie("slow"), () => lie("fast")]),
  ]
}

/** How many of the kinds of steps are captured. */
const capturedTimes = 6

const reversedShare = 0.25
/** Speeds relative to the capture: within them, motion still looks like that of people. */
const rates = [0.75, 1.3] as const

/** One to three clips in a row. */
const drawCaptured = (names: ReadonlyArray<string>, varied: boolean, random: Random): Step => {
  const clips = Array.from({ length: drawInteger(random, [1, 3]) }, () => drawOne(random, names))
  return {
    do: "captured",
    clips,
    ...(varied ? { reversed: chance(random, reversedShare), rate: rounded(uniformIn(random, ...rates), 2) } : {}),
  }
}

const pauseShare = 0.15

const drawCapturedOrPause = (
  { family, varied = false, walks = false }: Extract<SuiteBehaviour, { readonly kind: "captured" }>,
  random: Random,
): Step =>
  chance(random, pauseShare)
    ? { do: "stand", seconds: rounded(uniformIn(random, 1, 4), 1) }
    : drawCaptured(walks ? forwardWalks(family) : clipNames(family), varied, random)

/** One random step of a kind that is possible in the room. */
const drawStep = (
  size: Vector3,
  { beds, obstacles, seats }: RoomLayout,
  { captured, fallTimes = 1, wide = false }: Extract<SuiteBehaviour, { readonly kind: "scripted" }>,
  random: Random,
): Step => {
  const seconds = (low: number, high: number): number => rounded(uniformIn(random, low, high), 1)
  const walk = (): Step => ({ do: "walk", to: drawPlace(size, obstacles, random) })
  const fall = (walking: boolean): Step => ({
    do: "fall",
    seconds: fallTimes > 1 ? seconds(2, 6) : seconds(5, 12),
    recover: true,
    ...(walking ? { walking } : {}),
  })
  const kinds: ReadonlyArray<() => Step> = [
    walk,
    walk,
    walk,
    () => ({ do: "stand", seconds: seconds(2, 8) }),
    () => ({ do: "stand", seconds: seconds(2, 6), gesture: drawOne(random, gestures) }),
    ...Array.from({ length: fallTimes }, () => [() => fall(false), () => fall(true)]).flat(),
    () => ({ do: "drop-to-floor", seconds: seconds(3, 8) }),
    () => ({ do: "kneel", seconds: seconds(3, 8) }),
    () => ({ do: "pick-up" }),
    () => ({ do: "jump" }),
    ...(seats.length === 0 ? [] : [
      (): Step => ({ do: "sit", seconds: seconds(4, 15) }),
      (): Step => ({ do: "sit", seconds: seconds(4, 12), gesture: drawOne(random, gestures) }),
      (): Step => ({ do: "sit-fast", seconds: seconds(3, 8) }),
    ]),
    ...(beds.length === 0 ? [] : [
      (): Step => ({ do: "lie", seconds: seconds(6, 20) }),
      (): Step => ({ do: "lie", seconds: seconds(6, 20) }),
    ]),
    ...(captured === undefined
      ? []
      : Array.from({ length: capturedTimes }, () => () => drawCaptured(clipNames(captured), true, random))),
    ...(wide ? wideKinds(seconds, () => drawPlace(size, obstacles, random), beds, random) : []),
  ]
  return drawOne(random, kinds)()
}

const drawScript = (
  size: Vector3,
  layout: RoomLayout,
  door: string,
  behaviour: Extract<SuiteBehaviour, { readonly kind: "scripted" | "captured" }>,
  random: Random,
): ReadonlyArray<Step> => [
  { do: "enter", door },
  ...Array.from(
    { length: stepsMin + Math.floor((stepsMax - stepsMin + 1) * random.uniform()) },
    () =>
      behaviour.kind === "captured"
        ? drawCapturedOrPause(behaviour, random)
        : drawStep(size, layout, behaviour, random),
  ),
  ...(chance(random, leavingShare) ? [{ do: "leave", door } as const] : []),
]

const drawLongLie = (size: Vector3, { obstacles }: RoomLayout, door: string, random: Random): ReadonlyArray<Step> => [
  { do: "enter", door },
  { do: "walk", to: drawPlace(size, obstacles, random) },
  { do: "fall", seconds: 600, recover: false, walking: chance(random, 0.5) },
]

const visits = 4
/** Shares of the visits that pause, and of the pauses on a seat. */
const pausedShare = 0.5
const seatedShare = 0.5

const drawVisit = (
  size: Vector3,
  { obstacles, seats }: RoomLayout,
  door: string,
  random: Random,
): ReadonlyArray<Step> => {
  const seconds = (low: number, high: number): number => rounded(uniformIn(random, low, high), 1)
  const walk = (): Step => ({ do: "walk", to: drawPlace(size, obstacles, random) })
  const pause = (): Step =>
    seats.length > 0 && chance(random, seatedShare)
      ? { do: "sit", seconds: seconds(4, 8) }
      : { do: "stand", seconds: seconds(1, 5) }
  return [
    { do: "enter", door },
    walk(),
    chance(random, pausedShare) ? pause() : walk(),
    { do: "leave", door, seconds: seconds(4, 10) },
  ]
}

const scriptOf = (
  size: Vector3,
  layout: RoomLayout,
  door: string,
  behaviour: Exclude<SuiteBehaviour, { readonly kind: "daily" }>,
  random: Random,
): ReadonlyArray<Step> => {
  switch (behaviour.kind) {
    case "long-lie":
      return drawLongLie(size, layout, door, random)
    case "visits":
      return Array.from({ length: visits }, () => drawVisit(size, layout, door, random)).flat()
    default:
      return drawScript(size, layout, door, behaviour, random)
  }
}

/** A random adult; sizes and rates are within the middle 95 % of the literature. */
export const drawPerson = (
  size: Vector3,
  layout: RoomLayout,
  door: string,
  behaviour: SuiteBehaviour,
  random: Random,
): Person => ({
  awaySeconds: chance(random, 0.5) ? 0 : rounded(uniformIn(random, 0, 5), 1),
  heightM: rounded(drawNormal(random, 1.69, 0.1, 1.45, 2), 2),
  girth: rounded(drawNormal(random, 1.02, 0.12, 0.8, 1.35), 2),
  walkingSpeedMps: rounded(drawNormal(random, 1, 0.22, 0.5, 1.5), 2),
  breathing: {
    ratePerMinute: rounded(uniformIn(random, 9, 26), 1),
    chestMm: rounded(uniformIn(random, 4, 12), 1),
  },
  heart: { ratePerMinute: rounded(uniformIn(random, 50, 110), 0), chestMm: rounded(uniformIn(random, 0.2, 0.5), 2) },
  behaviour: behaviour.kind === "daily" ? behaviour : {
    kind: "script",
    steps: scriptOf(size, layout, door, behaviour, random),
    loop: behaviour.kind !== "long-lie",
  },
})
