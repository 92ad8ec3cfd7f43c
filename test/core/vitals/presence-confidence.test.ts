/** Whether confidence is calibrated: in simulated rooms whose seeds were not used to fit it. */
import { describe, expect, it } from "vitest"
import type { PresenceReading } from "../../../core/vitals/presence.ts"
import { createRandom, type Random, uniformIn } from "../../../sim/randomness/random.ts"
import { readingsOf } from "../../harness/presence.ts"
import { during, fan, type Mover, scene, type SceneOptions, stayer, visitor, walker } from "../../harness/scene.ts"

const seconds = 60

interface Story {
  readonly movers: NonNullable<SceneOptions["movers"]>
  /** Whether a person is in the room at a time. */
  readonly occupied: (timeS: number) => boolean
}

const always = () => true
const never = () => false

/** Occupancy of a room: empty in four of ten, and where a fan runs. */
const storyOf = (random: Random): Story => {
  const kind = random.uniform()
  const slow = random.uniform() < 0.5
  const rotationHz = slow ? uniformIn(random, 1, 5) : uniformIn(random, 12, 25)
  const [x, y] = [uniformIn(random, 0.3, 0.7), uniformIn(random, 0.3, 0.7)]
  const [fromS, toS] = [uniformIn(random, 10, 25), uniformIn(random, 35, 55)]
  const stayS = uniformIn(random, 10, 40)
  const one = (mover: (...from: Parameters<Story["movers"]>) => Mover): Story["movers"] => (...from) => [mover(...from)]
  if (kind < 0.3) return { movers: () => [], occupied: never }
  if (kind < 0.4) {
    const size = slow
      ? { radiusM: 0.6, rcsM2: 0.3, axis: "up" as const }
      : { radiusM: 0.2, rcsM2: 0.05, axis: "level" as const }
    return {
      movers: one((room, stream) =>
        fan(stream("fan"), { ...size, rotationHz, blades: 4, position: [room[0] * x, room[1] * y, slow ? 2.3 : 1] })
      ),
      occupied: never,
    }
  }
  if (kind < 0.55) return { movers: one((room, stream) => walker(room, stream("who"))), occupied: always }
  if (kind < 0.7) return { movers: one((room, stream) => stayer(room, stream("who"))), occupied: always }
  if (kind < 0.85) {
    return {
      movers: one((room, stream) => during(fromS, toS, visitor(room, stream("who"), 8, 20))),
      occupied: (timeS) => timeS >= fromS && timeS < toS,
    }
  }
  return { movers: one((room, stream) => visitor(room, stream("who"), 8, stayS)), occupied: always }
}

interface Decision {
  readonly confidence: number
  readonly right: boolean
}

const decisionsOf = (seed: number, links: number): ReadonlyArray<Decision> => {
  const random = createRandom(seed, "story")
  const { movers, occupied } = storyOf(random)
  const options: SceneOptions = {
    seed,
    seconds,
    links,
    movers,
    rateHz: [10, 20, 50][Math.floor(3 * random.uniform())]!,
    snrDb: uniformIn(random, 15, 30),
    lossRate: uniformIn(random, 0, 0.1),
    disturbed: random.uniform() < 0.3 ? 0.03 : 0,
    gainStepDb: random.uniform() < 0.3 ? 1.5 : 0,
  }
  return readingsOf(scene(options)).flatMap(({ presence }: PresenceReading, hop) =>
    presence.present === null
      ? []
      : [{ confidence: presence.confidence, right: presence.present === occupied(hop / 10) }]
  )
}

/** Expected calibration error over ten bins. */
const calibrationError = (decisions: ReadonlyArray<Decision>): number => {
  let error = 0
  for (let bin = 0; bin < 10; bin++) {
    const inBin = decisions.filter(({ confidence }) => Math.min(9, Math.floor(confidence * 10)) === bin)
    const stated = inBin.reduce((sum, { confidence }) => sum + confidence, 0)
    error += Math.abs(stated - inBin.filter(({ right }) => right).length) / decisions.length
  }
  return error
}

describe("confidence of presence", () => {
  it.each([[1, 48], [6, 8]])("is the share of right decisions: %i link(s)", (links, rooms) => {
    const decisions = Array.from({ length: rooms }, (_, i) => decisionsOf(20_000 + i, links)).flat()
    expect(decisions.length).toBeGreaterThan(rooms * 200)
    // Rooms differ more than hops do: the error of so few rooms is that of some dozens of coin tosses.
    expect(calibrationError(decisions)).toBeLessThan(0.12)
  }, 60_000)
})
