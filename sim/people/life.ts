/**
 * A life: a pose that follows a behaviour, in steps of 10 ms.
 *
 * Owns the running of phases. Boundary: `behaviour.ts` and `daily.ts` choose the phases; `person.ts` adds breath and sway.
 */
import type { Random } from "../randomness/random.ts"
import type { Activity } from "../bodies/activity.ts"
import { stay } from "./actions.ts"
import type { Performer, Phases } from "./performer.ts"
import { perform } from "./behaviour.ts"
import { neighbourOf } from "./crowding.ts"
import { dailyWeights, drawStep } from "./daily.ts"
import type { FloorPlan } from "../rooms/floor-plan.ts"
import type { Occupancy } from "./occupancy.ts"
import { keep, type Phase, stepS } from "../bodies/phase.ts"
import type { Physique } from "../bodies/physique.ts"
import { createPlanner } from "./planner.ts"
import { channelCount, createPose, type Pose, setShape, upright } from "../bodies/pose.ts"
import { drawPlace } from "./space.ts"
import type { Behaviour, Step } from "../bodies/step.ts"
import type { GaitStyle } from "./gait.ts"

interface Life {
  /** Its pose is that after the last step. */
  readonly performer: Performer
  /** The pose one step earlier. */
  readonly before: Pose
  readonly activity: () => Activity
  /** End of the last step, seconds. */
  readonly nowS: () => number
  readonly step: () => void
}

/** Performs a step; waits one second if the step was impossible, because time must advance. */
function* attempt(performer: Performer, step: Step): Phases {
  const startS = performer.nowS
  yield* perform(performer, step)
  if (performer.nowS === startS) yield keep(1)
}

function* live(performer: Performer, behaviour: Behaviour): Phases {
  if (behaviour.kind === "daily") {
    const weights = { ...dailyWeights, ...behaviour.weights }
    for (;;) yield* attempt(performer, drawStep(performer, weights))
  }
  do {
    for (const step of behaviour.steps) yield* attempt(performer, step)
  } while (behaviour.loop && behaviour.steps.length > 0)
  for (;;) yield* stay(performer, 3600)
}

/** Places the performer in the home, standing, unless the script begins with `enter`. */
const begin = (performer: Performer, behaviour: Behaviour): void => {
  const { floor, occupancy, physique, planner, pose, random } = performer
  if (behaviour.kind === "script" && behaviour.steps[0]?.do === "enter") return
  const place = drawPlace(floor, planner, random, (spot) => !occupancy.isTaken(performer, spot, 0.8))
  if (place === null) return
  setShape(pose, upright(physique, place[0], place[1], 2 * Math.PI * random.uniform() - Math.PI))
  performer.rest = { on: "feet" }
  occupancy.claim(performer, [place])
}

export const createLife = (
  physique: Physique,
  gait: GaitStyle,
  behaviour: Behaviour,
  floor: FloorPlan,
  random: Random,
  occupancy: Occupancy,
): Life => {
  const pose = createPose()
  const before = createPose()
  const changes = createPose()
  const performer: Performer = {
    physique,
    gait,
    floor,
    planner: createPlanner(floor),
    occupancy,
    random,
    pose,
    rates: () => {
      for (let i = 0; i < channelCount; i++) changes[i] = (pose[i]! - before[i]!) / stepS
      return changes
    },
    nowS: 0,
    rest: { on: "out" },
    course: null,
    doorId: null,
    fallImpactS: null,
  }
  occupancy.join(performer, neighbourOf(performer))
  begin(performer, behaviour)
  before.set(pose)
  const phases = live(performer, behaviour)
  let phase: Phase | null = null
  let activity: Activity = "standing"
  let steps = 0

  const step = (): void => {
    // A new phase starts only here: it may rewrite the pose in another notation, which must not mix with the previous step's.
    if (phase === null) phase = phases.next().value ?? null
    before.set(pose)
    steps++
    performer.nowS = steps * stepS
    if (phase === null) return
    const isOver = phase.step(pose)
    activity = phase.activity() ?? activity
    if (isOver) phase = null
  }
  return { performer, before, activity: () => activity, nowS: () => steps * stepS, step }
}
