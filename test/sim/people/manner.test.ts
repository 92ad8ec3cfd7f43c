import { describe, expect, it } from "vitest"
import { type LimbHabits, regularLimbs } from "../../../sim/bodies/limb-habits.ts"
import type { Step } from "../../../sim/bodies/step.ts"
import { regularGait } from "../../../sim/people/gait.ts"
import type { Manner } from "../../../sim/people/manner.ts"
import type { PersonState } from "../../../sim/people/person.ts"
import { defaultSuite, randomScenario } from "../../../sim/random-scenario/random-scenario.ts"
import { bonesM, fastestMps, pelvisOf, swingM, walkFigures } from "../bodies/figures.ts"
import { doing, hall, home, watch } from "../bodies/home.ts"

/** Persons as suites with varied people draw them, with their manners. */
const varied = Array.from(
  { length: 120 },
  (_, seed) => randomScenario({ ...defaultSuite, people: "varied" }, seed).persons[0]!,
)

/** Adults with healthy legs among them. */
const healthy = varied.filter(({ heightM, manner, walkingSpeedMps }) =>
  heightM > 1.5 && walkingSpeedMps > 0.75 && manner!.gait.lurchRad === 0 && manner!.gait.liftShare > 0.5
)

/** A description without its behaviour. */
const bodyOf = ({ behaviour: _, ...body }: typeof varied[number]) => body

/** Walks along a hall and back, and what that looks like in its middle. */
const figuresOf = (parts: typeof varied[number], seed: number) =>
  walkFigures(
    doing(
      [{ do: "walk", to: [1, 2] }, { do: "walk", to: [23, 2] }, { do: "walk", to: [1, 2] }],
      hall(24, 4),
      seed,
      bodyOf(parts),
    ),
  )

const withLimbs = (limbs: LimbHabits, gait = regularGait): { readonly manner: Manner } => ({ manner: { gait, limbs } })

describe("the gait of varied people", () => {
  const figures = healthy.slice(0, 16).map((person, seed) => figuresOf(person, seed))
  const mean = (of: (figure: typeof figures[number]) => number): number =>
    figures.reduce((sum, figure) => sum + of(figure), 0) / figures.length

  it("has the cadence, surge and sway of captured adults", () => {
    expect(mean(({ cycleS }) => cycleS)).toBeGreaterThan(0.98)
    expect(mean(({ cycleS }) => cycleS)).toBeLessThan(1.2)
    for (const { cycleS, speedVariation, swayM } of figures) {
      expect(cycleS).toBeGreaterThan(0.85)
      expect(cycleS).toBeLessThan(1.4)
      expect(speedVariation).toBeGreaterThan(0.1)
      expect(speedVariation).toBeLessThan(0.27)
      expect(swayM).toBeGreaterThan(0.02)
      expect(swayM).toBeLessThan(0.045)
    }
  })

  it("has faster cycles at a higher speed", () => {
    const person = healthy[0]!
    const [slow, fast] = [0.7, 1.4].map((walkingSpeedMps) => figuresOf({ ...person, walkingSpeedMps }, 1).cycleS)
    expect(slow! - fast!).toBeGreaterThan(0.1)
  })

  it("includes children, shuffling and limping persons", () => {
    expect(varied.some(({ heightM }) => heightM < 1.3)).toBe(true)
    expect(varied.some(({ manner }) => manner!.gait.liftShare < 0.4)).toBe(true)
    expect(varied.some(({ manner }) => Math.abs(manner!.gait.lurchRad) > 0.03)).toBe(true)
  })

  it("lets a limping person step late on one side", () => {
    const limping = varied.find(({ manner }) => manner!.gait.lurchRad !== 0)!
    expect(Math.abs(figuresOf({ ...limping, walkingSpeedMps: 0.7 }, 2).delayShare)).toBeGreaterThan(0.02)
    expect(
      Math.abs(
        figuresOf({ ...limping, manner: { gait: regularGait, limbs: regularLimbs }, walkingSpeedMps: 0.7 }, 2)
          .delayShare,
      ),
    ).toBeLessThan(
      0.02,
    )
  })
})

describe("limbs apart from the trunk", () => {
  const walk: ReadonlyArray<Step> = [{ do: "walk", to: [1, 2] }, { do: "walk", to: [19, 2] }]
  const walker = (limbs: LimbHabits) => doing(walk, hall(20, 4), 3, withLimbs(limbs))
  const usual = swingM(walker(regularLimbs))

  it("swing in the regular gait", () => {
    expect(usual.ankles).toBeGreaterThan(0.15)
    expect(usual.wrists).toBeGreaterThan(0.1)
  })

  it("are still, or carry something, while the trunk walks", () => {
    const still = swingM(walker({ arms: "still", legs: "still" }))
    expect(still.ankles).toBeLessThan(0.02)
    // The shoulders still turn with the hips.
    expect(still.wrists).toBeLessThan(0.25 * usual.wrists)
    const carrying = swingM(walker({ arms: "carrying", legs: "usual" }))
    expect(carrying.ankles).toBeGreaterThan(0.15)
    expect(carrying.wrists).toBeLessThan(0.6 * usual.wrists)
  })

  it("move by themselves beside a standing trunk", () => {
    const swings = [1, 2, 3, 4].map((seed) =>
      swingM(
        doing([{ do: "stand", seconds: 60 }], home, seed, withLimbs({ arms: "independent", legs: "usual" })),
        "standing",
      )
    )
    for (const { trunk } of swings) expect(trunk).toBeLessThan(0.03)
    expect(Math.max(...swings.map(({ wrists }) => wrists))).toBeGreaterThan(0.05)
  })
})

describe("steps of varied people", () => {
  it("walk backwards, with the body against its way", () => {
    const person = doing([{ do: "walk", to: [2, 2] }, { do: "walk", to: [12, 2], backwards: true }], hall(14, 4), 1)
    let ahead = 0
    let back = 0
    let last: PersonState | null = null
    watch(person, 60, 20, (state) => {
      if (last !== null && state.activity === "walking" && state.x - last.x > 0.01) {
        const along = (state.x - last.x) * Math.cos(state.headingRad) + (state.y - last.y) * Math.sin(state.headingRad)
        if (along < 0) back++
        else ahead++
      }
      last = state
    })
    expect(last!.x).toBeGreaterThan(11.5)
    expect(back).toBeGreaterThan(200)
    expect(ahead).toBe(0)
  })

  it("turn fast on the spot", () => {
    const person = doing([{ do: "stand", seconds: 2 }, { do: "turn", byRad: 3, fast: true }], hall(5, 5), 1)
    const start = person.at(0)
    let fastest = 0
    let before = start
    watch(person, 5, 50, (state) => {
      const turned = state.headingRad - before.headingRad
      if (Math.abs(turned) < 3) fastest = Math.max(fastest, Math.abs(turned) * 50)
      before = state
    })
    expect(fastest).toBeGreaterThan(3.5)
    expect(Math.hypot(before.x - start.x, before.y - start.y)).toBeLessThan(0.1)
  })

  it("lie down on the floor, slowly and fast, without a fall", () => {
    const lyingSince = (["slow", "fast"] as const).map((pace) => {
      const person = doing([{ do: "lie-on-floor", seconds: 20, pace }], hall(8, 8), 2)
      let downS = 0
      let lowS = 0
      watch(person, 20, 20, ({ activity, fallImpactS }, timeS) => {
        expect(activity).not.toBe("falling")
        expect(fallImpactS).toBe(null)
        if (activity === "sitting" && downS === 0) downS = timeS
        if (activity === "lying" && lowS === 0) lowS = timeS
      })
      expect(lowS).toBeGreaterThan(0)
      return lowS - downS
    })
    expect(lyingSince[0]).toBeGreaterThan(2 * lyingSince[1]!)
  })
})

describe("the body of a varied person", () => {
  it("keeps its bones, stays above the floor and never jumps", () => {
    for (let seed = 0; seed < 6; seed++) {
      const limbs = {
        arms: seed % 2 === 0 ? "independent" : "carrying",
        legs: seed < 3 ? "independent" : "usual",
      } as const
      const scenario = randomScenario(
        { ...defaultSuite, people: "varied", limbs, behaviour: { kind: "scripted", wide: true } },
        seed,
      )
      const { behaviour, ...description } = scenario.persons[0]!
      const steps = behaviour.kind === "script"
        ? behaviour.steps.filter(({ do: kind }) => kind !== "enter" && kind !== "leave")
        : []
      const { beds, obstacles, seats, size } = scenario.rooms[0]!
      const person = doing(
        steps,
        { rooms: [{ roomId: "room", low: [0, 0], high: [size[0], size[1]] }], doors: [], beds, obstacles, seats },
        seed,
        description,
      )
      person.at(0)
      const first = bonesM(person)
      let longest = 0
      const fastest = fastestMps(person, 120, () => {
        const bones = bonesM(person)
        longest = Math.max(longest, ...bones.map((bone, i) => Math.abs(bone - first[i]!)))
        expect(pelvisOf(person.posture.keypoints)[2]).toBeGreaterThan(0.04)
      })
      expect(longest).toBeLessThan(0.002)
      // A hand that breaks a fall is the fastest point of a body.
      expect(fastest).toBeLessThan(11)
    }
  })
})
