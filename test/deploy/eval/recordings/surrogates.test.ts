import { describe, expect, it } from "vitest"
import { meanInterval } from "../../../../deploy/eval/recordings/intervals.ts"
import { surrogateNames, surrogateOf } from "../../../../deploy/eval/recordings/surrogates.ts"
import { createRandom } from "../../../../sim/randomness/random.ts"
import { scene } from "../../../harness/scene.ts"

const batches = [...scene({ seconds: 6, rateHz: 50, seed: 3 })]
const packets = (of: typeof batches): number => of.reduce((sum, { frameCount }) => sum + frameCount, 0)

describe("surrogates of receivers", () => {
  it.each(surrogateNames)("%s: changes the packets, consistently and reproducibly", (name) => {
    const changed = surrogateOf(name, "a", batches)
    expect(changed).toEqual(surrogateOf(name, "a", batches))
    expect(changed).not.toEqual(batches)
    for (const { csi, frameCount, layout, timestampsUs } of changed) {
      const antennas = layout.receiveAntennas * layout.transmitAntennas
      expect(csi.length).toBe(2 * frameCount * antennas * layout.subcarrierIndices.length)
      expect(timestampsUs.length).toBe(frameCount)
      expect(csi.every(Number.isFinite)).toBe(true)
    }
  })

  it("keeps a third of the packets, and a quarter of the subcarriers", () => {
    expect(packets([...surrogateOf("one packet in three", "a", batches)])).toBe(Math.ceil(packets(batches) / 3))
    const { subcarrierIndices } = batches[0]!.layout
    expect(surrogateOf("one subcarrier in four", "a", batches)[0]!.layout.subcarrierIndices).toEqual(
      subcarrierIndices.filter((_, place) => place % 4 === 1),
    )
  })
})

describe("the interval of a mean over recordings", () => {
  it("contains the mean, is narrower with more recordings, and is null with one", () => {
    const random = createRandom(1, "test")
    const values = (count: number) => Array.from({ length: count }, (_, i) => i % 2 === 0 ? 0 : 100)
    const [low, high] = meanInterval(values(10), random)!
    const [narrowLow, narrowHigh] = meanInterval(values(1000), random)!
    expect(low).toBeLessThan(narrowLow)
    expect(narrowLow).toBeLessThan(50)
    expect(narrowHigh).toBeGreaterThan(50)
    expect(high).toBeGreaterThan(narrowHigh)
    expect(meanInterval([5, null], random)).toBeNull()
  })
})
