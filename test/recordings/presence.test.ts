import { describe, expect, it } from "vitest"
import { createCaptureDecoder, detectFormat } from "../../core/formats/detect-format.ts"
import { Reducer } from "../../core/signal/reduce.ts"
import { PresenceDetector, type PresenceReading } from "../../core/vitals/presence.ts"
import { hasRecordings, recording } from "../harness/recordings.ts"

/** What the service says of a recording, hop by hop. */
const readings = (name: string): Array<PresenceReading> => {
  const bytes = recording(name)
  const decoder = createCaptureDecoder(detectFormat(bytes)!, { routerId: "r", source: "replay" })
  const reducer = new Reducer("r")
  const observations = decoder.push(bytes).batches.flatMap((batch) => reducer.push(batch))
  const detector = new PresenceDetector()
  const out: Array<PresenceReading> = []
  let next = 0
  for (let hop = observations[0]!.hop; hop <= observations.at(-1)!.hop; hop++) {
    while (next < observations.length && observations[next]!.hop <= hop) detector.add(observations[next++]!)
    out.push(detector.read(hop))
  }
  return out
}

const share = (all: ReadonlyArray<PresenceReading>, present: boolean | null): number =>
  all.filter((reading) => reading.presence.present === present).length / all.length

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Hops of the start, in which nothing can be said yet. */
const startHops = 100

describe.skipIf(!hasRecordings("pulse_esp32"))("presence on recordings", () => {
  it.each(["pulse_esp32/vacio_01.csv", "pulse_esp32/resp_vacio.csv"])("%s: an empty room is empty, always", (name) => {
    const all = readings(name)
    expect(all.slice(0, startHops).every((r) => r.presence.present !== true)).toBe(true)
    expect(share(all.slice(startHops), false)).toBe(1)
    expect(all.every((r) => r.motion === null || r.motion === 0)).toBe(true)
  })

  it("pulse_esp32/mov_01.csv: somebody walks", () => {
    const all = readings("pulse_esp32/mov_01.csv")
    expect(all.findIndex((r) => r.presence.present === true)).toBeLessThan(50)
    expect(share(all.slice(startHops), true)).toBe(1)
    expect(mean(all.slice(startHops).map((r) => r.motion!))).toBeGreaterThan(0.5)
  })

  it("pulse_esp32/resp_6rpm.csv: somebody lies still and breathes, and moves less than who walks", () => {
    const all = readings("pulse_esp32/resp_6rpm.csv")
    expect(share(all.slice(startHops), true)).toBe(1)
    expect(mean(all.slice(startHops).map((r) => r.motion!))).toBeLessThan(0.3)
  })

  it.each(["jasmin_har/noPersonFanRunning.csv", "jasmin_har/personDoingNormalActivity.csv"])(
    "%s: under two packets a second say nothing, and that is said",
    (name) => {
      const all = readings(name)
      expect(share(all, null)).toBe(1)
      expect(new Set(all.map((r) => r.presence.reason!.split(":")[0]))).toContain("the packet rate is too low")
    },
  )
})
