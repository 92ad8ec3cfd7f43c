/**
 * A life: a pose that follows a behaviour, in steps of 10 ms.
 *
 * Owns the running of phases. Boundary: `behaviour.ts` and `daily.ts` say what comes; `person.ts` adds breath and sway.
 */
import type { Random } from "../random.ts"
import type { Activity } from "./activity.ts"
import { type Actor, type Phases, stay } from "./actor.ts"
import { perform } from "./behaviour.ts"
import { neighbourOf } from "./company.ts"
import { dailyWeights, drawStep } from "./daily.ts"
import type { FloorPlan } from "./floor-plan.ts"
import type { Occupancy } from "./occupancy.ts"
import { keep, type Phase, stepS } from "./phase.ts"
import type { Physique } from "./physique.ts"
import { createPlanner } from "./planner.ts"
import { channelCount, createPose, type Pose, setShape, upright } from "./pose.ts"
import { drawPlace } from "./space.ts"
import type { Behaviour, Step } from "./step.ts"
import type { GaitStyle } from "./walk.ts"

export interface Life {
  /** Who lives it; its pose is that after the last step. */
  readonly actor: Actor
  /** The pose one step earlier. */
  readonly before: Pose
  readonly activity: () => Activity
  /** When the last step ended, seconds. */
  readonly nowS: () => number
  readonly step: () => void
}

/** Does a step, and waits a moment if it could not be done: time must go on. */
function* attempt(actor: Actor, step: Step): Phases {
  const startS = actor.nowS
  yield* perform(actor, step)
  if (actor.nowS === startS) yield keep(1)
}

function* live(actor: Actor, behaviour: Behaviour): Phases {
  if (behaviour.kind === "daily") {
    const weights = { ...dailyWeights, ...behaviour.weights }
    for (;;) yield* attempt(actor, drawStep(actor, weights))
  }
  do {
    for (const step of behaviour.steps) yield* attempt(actor, step)
  } while (behaviour.loop && behaviour.steps.length > 0)
  for (;;) yield* stay(actor, 3600)
}

/** At home from the start, standing somewhere, unless the script begins with coming in. */
const begin = (actor: Actor, behaviour: Behaviour): void => {
  const { floor, occupancy, physique, planner, pose, random } = actor
  if (behaviour.kind === "script" && behaviour.steps[0]?.do === "enter") return
  const place = drawPlace(floor, planner, random, (spot) => !occupancy.isTaken(actor, spot, 0.8))
  if (place === null) return
  setShape(pose, upright(physique, place[0], place[1], 2 * Math.PI * random.uniform() - Math.PI))
  actor.rest = { on: "feet" }
  occupancy.claim(actor, [place])
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
  const actor: Actor = {
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
  occupancy.join(actor, neighbourOf(actor))
  begin(actor, behaviour)
  before.set(pose)
  const phases = live(actor, behaviour)
  let phase: Phase | null = null
  let activity: Activity = "standing"
  let steps = 0

  const step = (): void => {
    // A new phase is asked for only now: it may write the same pose in other terms, of which the last step must not know.
    if (phase === null) phase = phases.next().value ?? null
    before.set(pose)
    steps++
    actor.nowS = steps * stepS
    if (phase === null) return
    const isOver = phase.step(pose)
    activity = phase.activity() ?? activity
    if (isOver) phase = null
  }
  return { actor, before, activity: () => activity, nowS: () => steps * stepS, step }
}
