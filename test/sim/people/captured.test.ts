import { describe, expect, it } from "vitest"
import { createPhysique } from "../../../sim/bodies/physique.ts"
import { channel, createPose } from "../../../sim/bodies/pose.ts"
import { createRandom } from "../../../sim/randomness/random.ts"
import { clipFamilies, clipNames, clipOf } from "../../../sim/motion-capture/families.ts"
import { varied } from "../../../sim/motion-capture/variation.ts"
import { optionsOf, suiteOf } from "../../../sim/evaluation/suites.ts"
import { trainingScenario } from "../../../sim/training/scenes.ts"
import { bonesM, fastestMps, pelvisOf } from "../bodies/figures.ts"
import { doing, hall, indexOf, pointOf, watch } from "../bodies/home.ts"

const all = clipFamilies.flatMap(clipNames)

/** A person in a large hall that moves as in one clip. */
const moving = (name: string, seed = 1) => doing([{ do: "captured", clips: [name] }], hall(16, 16), seed)

describe("the families of captured clips", () => {
  it("share no person and no name", () => {
    const origins = clipFamilies.map((family) => new Set(clipNames(family).map((name) => clipOf(name)!.origin)))
    const sizes = origins.map(({ size }) => size)
    expect(new Set(origins.flatMap((names) => [...names])).size).toBe(sizes.reduce((sum, size) => sum + size, 0))
    expect(new Set(all).size).toBe(all.length)
    expect(clipOf("unknown")).toBe(null)
  })

  it("are drawn by nothing but the scenes of their own seeds", () => {
    const drawn = (first: number, count: number) =>
      Array.from({ length: count }, (_, i) => trainingScenario(first + i, null).scenario.persons)
        .flat()
        .flatMap(({ behaviour }) => behaviour.kind === "script" ? behaviour.steps : [])
        .flatMap((step) => step.do === "captured" ? step.clips : [])
    expect(new Set(drawn(1, 400))).toEqual(new Set(clipNames("training")))
    expect(new Set(drawn(10_000, 60))).toEqual(new Set(clipNames("validation")))
    const family = (seed: number) => {
      const { behaviour } = optionsOf(suiteOf("real-motion"), seed)
      return behaviour.kind === "captured" ? behaviour.family : null
    }
    expect([1, 10_000, 20_000].map(family)).toEqual(["training", "validation", "held-out"])
  })
})

describe("a body that moves as a captured person", () => {
  it("keeps its bones, stays above the floor and never jumps, in every clip", () => {
    for (const name of all) {
      const person = moving(name)
      person.at(0)
      const first = bonesM(person)
      let longest = 0
      let lowest = 1
      const fastest = fastestMps(person, clipOf(name)!.seconds + 4, () => {
        const { keypoints } = person.posture
        longest = Math.max(longest, ...bonesM(person).map((bone, i) => Math.abs(bone - first[i]!)))
        lowest = Math.min(lowest, pelvisOf(keypoints)[2])
        for (let i = 0; i < 17; i++) expect(pointOf(keypoints, i)[2], name).toBeGreaterThan(0)
      })
      expect(longest, name).toBeLessThan(0.002)
      expect(lowest, name).toBeGreaterThan(0.05)
      expect(fastest, name).toBeLessThan(9)
    }
  })

  it("walks, sits and lies as the captured persons did", () => {
    const seen = (name: string) => {
      const activities = new Set<string>()
      watch(moving(name), clipOf(name)!.seconds, 20, ({ activity }) => void activities.add(activity))
      return activities
    }
    expect(seen("walk-a-2")).toContain("walking")
    expect(seen("walk-131-1")).toContain("walking")
    expect(seen("sit-and-stand")).toContain("sitting")
    expect(seen("squats")).not.toContain("sitting")
    expect(seen("lie-on-back")).toContain("lying")
    expect(seen("lie-on-back")).not.toContain("falling")
  })

  it("has feet that bear it without sliding far", () => {
    for (const name of ["walk-a-2", "walk-b-3", "arms-raised-2"]) {
      const person = moving(name)
      const ankles = [indexOf("left_ankle"), indexOf("right_ankle")]
      let before: ReadonlyArray<readonly [number, number, number]> | null = null
      let slow = 0
      let count = 0
      watch(person, clipOf(name)!.seconds - 0.3, 50, ({ activity }, timeS) => {
        const points = ankles.map((index) => pointOf(person.posture.keypoints, index))
        if (before !== null && activity === "walking" && timeS > 1.5) {
          const speeds = points.map(([x, y], i) => Math.hypot(x - before![i]![0], y - before![i]![1]) * 50)
          count++
          if (Math.min(...speeds) < 0.35) slow++
        }
        before = points
      })
      expect(count, name).toBeGreaterThan(20)
      // One ankle rests while the other swings.
      expect(slow / count, name).toBeGreaterThan(0.8)
    }
  })

  it("walks backwards, at any speed, in a clip reversed in time", () => {
    const physique = createPhysique(1.7, 1, createRandom(1, "body"))
    const clip = clipOf("walk-7-02")!
    const back = varied(clip, { rate: 0.8, reversed: true })
    expect(back.seconds).toBeCloseTo(clip.seconds / 0.8)
    for (const mirrored of [false, true]) {
      const start = { x: 1, y: 2, yaw: 0.7, mirrored }
      const [first, last, whole] = [createPose(), createPose(), createPose()]
      back.write(0, physique, start, first)
      back.write(back.seconds, physique, start, last)
      expect([first[channel.pelvisX], first[channel.pelvisY], first[channel.yaw]].map((value) => value.toFixed(3)))
        .toEqual(["1.000", "2.000", "0.700"])
      // Forwards from where it ended, the body comes back to where it began.
      clip.write(clip.seconds, physique, {
        x: last[channel.pelvisX],
        y: last[channel.pelvisY],
        yaw: last[channel.yaw],
        mirrored,
      }, whole)
      whole.forEach((value, i) => expect(value).toBeCloseTo(first[i]!, 6))
    }
    const [ahead] = back.placeAt(back.seconds)
    expect(ahead).toBeLessThan(-1)
  })

  it("is mirrored and turned from one time to another", () => {
    const ends = Array.from({ length: 8 }, (_, seed) => {
      const person = moving("walk-c-1", seed)
      const { x, y } = person.at(0)
      const end = person.at(6)
      return `${(end.x - x).toFixed(1)} ${(end.y - y).toFixed(1)}`
    })
    expect(new Set(ends).size).toBeGreaterThan(4)
  })
})
