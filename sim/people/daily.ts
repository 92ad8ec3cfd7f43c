/**
 * A daily life: an endless random mix of steps.
 *
 * Owns frequency and duration of each kind of step. Shares and durations are our own choice.
 */
import { type Random, uniformIn } from "../randomness/random.ts"
import type { Performer } from "./performer.ts"
import { isOpen } from "./crowding.ts"
import { type FloorPlan, isOuter } from "../rooms/floor-plan.ts"
import { drawPlace } from "./space.ts"
import { type DailyWeights, gestures, paces, type Step } from "../bodies/step.ts"

export const dailyWeights: DailyWeights = {
  walk: 8,
  stand: 5,
  gesture: 3,
  sit: 3.5,
  lie: 0.7,
  leave: 0.3,
  fall: 0.12,
  "sit-fast": 0.3,
  "drop-to-floor": 0.2,
  "pick-up": 1,
  kneel: 0.5,
  jump: 0.2,
  "walk-backwards": 0,
  turn: 0,
  "sit-on-floor": 0,
  "lie-on-floor": 0,
}

/** An exponential duration with a mean, within bounds. */
const lasting = (random: Random, mean: number, shortest: number, longest: number): number =>
  Math.min(longest, Math.max(shortest, -Math.log(1 - random.uniform()) * mean))

const any = <A>(random: Random, all: ReadonlyArray<A>): A => all[Math.floor(random.uniform() * all.length)]!

const isPossible = (kind: keyof DailyWeights, floor: FloorPlan): boolean =>
  kind === "sit" || kind === "sit-fast"
    ? floor.seats.length > 0
    : kind === "lie"
    ? floor.beds.length > 0
    : kind === "leave"
    ? floor.doors.some(isOuter)
    : true

const drawKind = (weights: DailyWeights, floor: FloorPlan, random: Random): keyof DailyWeights => {
  const kinds = (Object.keys(dailyWeights) as ReadonlyArray<keyof DailyWeights>).filter((kind) =>
    isPossible(kind, floor)
  )
  let left = random.uniform() * kinds.reduce((sum, kind) => sum + weights[kind], 0)
  return kinds.find((kind) => (left -= weights[kind]) < 0) ?? "stand"
}

/** The next step of a daily life. */
export const drawStep = (performer: Performer, weights: DailyWeights): Step => {
  const { floor, planner, random } = performer
  const kind = drawKind(weights, floor, random)
  switch (kind) {
    case "walk":
    case "walk-backwards": {
      const to = drawPlace(floor, planner, random, (place) => isOpen(performer, place))
      if (to === null) return { do: "stand", seconds: 5 }
      return kind === "walk" ? { do: "walk", to } : { do: "walk", to, backwards: true }
    }
    case "turn":
      return { do: "turn", byRad: uniformIn(random, -Math.PI, Math.PI), fast: random.uniform() < 0.5 }
    case "sit-on-floor":
      return { do: "sit-on-floor", seconds: lasting(random, 60, 6, 300) }
    case "lie-on-floor":
      return { do: "lie-on-floor", seconds: lasting(random, 60, 6, 300), pace: any(random, paces) }
    case "stand":
      return { do: "stand", seconds: lasting(random, 25, 4, 120) }
    case "gesture":
      return { do: "stand", seconds: lasting(random, 12, 6, 40), gesture: any(random, gestures) }
    case "sit": {
      const seconds = lasting(random, 200, 30, 1200)
      return random.uniform() < 0.3 ? { do: "sit", seconds, gesture: any(random, gestures) } : { do: "sit", seconds }
    }
    case "lie":
      return { do: "lie", seconds: lasting(random, 500, 60, 2400) }
    case "leave": {
      const door = any(random, floor.doors.filter(isOuter))
      return { do: "leave", door: door.doorId, seconds: lasting(random, 240, 30, 1800) }
    }
    case "fall":
      return { do: "fall", seconds: lasting(random, 40, 5, 300), recover: true, walking: random.uniform() < 0.6 }
    case "sit-fast":
      return { do: "sit-fast", seconds: lasting(random, 30, 5, 120) }
    case "drop-to-floor":
      return { do: "drop-to-floor", seconds: lasting(random, 20, 4, 90) }
    case "kneel":
      return { do: "kneel", seconds: uniformIn(random, 3, 20) }
    case "pick-up":
    case "jump":
      return { do: kind }
  }
}
