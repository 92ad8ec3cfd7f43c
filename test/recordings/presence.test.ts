import { readdirSync } from "node:fs"
import { describe, expect, it } from "vitest"
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import { createCaptureDecoder, detectFormat } from "../../core/formats/detect-format.ts"
import { Reducer } from "../../core/reduction/reduce.ts"
import { PresenceDetector, type PresenceReading } from "../../core/vitals/presence.ts"
import { cut, readGeotec } from "../../deploy/eval/recordings/geotec.ts"
import { decimate, meanMotion, readingsOf, shareOf } from "../harness/presence.ts"
import { createRandom } from "../../sim/randomness/random.ts"
import { hasRecordings, recording, recordingFile } from "../harness/recordings.ts"

const decoded = new Map<string, ReadonlyArray<CsiBatch>>()

const batchesOf = (name: string): ReadonlyArray<CsiBatch> => {
  const known = decoded.get(name)
  if (known !== undefined) return known
  const bytes = recording(name)
  const decoder = createCaptureDecoder(detectFormat(bytes)!, { routerId: "r", source: "replay" })
  const batches = [...decoder.push(bytes).batches, ...decoder.end().batches]
  decoded.set(name, batches)
  return batches
}

/** Hops of the start, in which nothing can be said yet. */
const startHops = 110

describe.skipIf(!hasRecordings("pulse_esp32"))("presence on recordings at 100 packets/s", () => {
  describe.each(["pulse_esp32/vacio_01.csv", "pulse_esp32/resp_vacio.csv"])("%s: an empty room is empty", (name) => {
    it("all the time", () => {
      const all = readingsOf(batchesOf(name))
      expect(shareOf(all, true)).toBe(0)
      expect(shareOf(all.slice(startHops), false)).toBe(1)
      expect(all.every((r) => r.motion === null || r.motion === 0)).toBe(true)
      expect(all.slice(startHops).every((r) => r.presence.confidence >= 0.5)).toBe(true)
    })

    it.each([2, 3, 4, 5, 6, 7, 8])("for every packet in %i", (n) => {
      const all = readingsOf(decimate(batchesOf(name), n))
      expect(shareOf(all, true)).toBe(0)
      expect(all.at(-1)!.presence.present).toBe(false)
    })

    it("when a neighbour's packets are scattered among its own", () => {
      // The same room by another station that sends little: its packets are a link of their own, which never says anything.
      const strange = batchesOf(name).map((batch) => ({
        ...batch,
        transmitterIds: [...batch.transmitterIds, "stranger"],
        transmitterIndex: batch.transmitterIndex.map((index, i) => i % 97 === 0 ? batch.transmitterIds.length : index),
      }))
      expect(shareOf(readingsOf(strange), true)).toBe(0)
    })
  })

  it.each([1, 2, 4, 8])("pulse_esp32/mov_01.csv: a person walks, with one packet in %i", (n) => {
    const all = readingsOf(decimate(batchesOf("pulse_esp32/mov_01.csv"), n))
    expect(all.findIndex((r) => r.presence.present === true)).toBeLessThan(90)
    expect(shareOf(all, false)).toBe(0)
    expect(shareOf(all.slice(startHops), true)).toBe(1)
    if (n === 1) expect(meanMotion(all.slice(startHops))).toBeGreaterThan(0.5)
  })

  it("pulse_esp32/mov_01.csv: at 7 packets/s the decision takes longer, and is never absent", () => {
    const all = readingsOf(decimate(batchesOf("pulse_esp32/mov_01.csv"), 16))
    expect(shareOf(all, false)).toBe(0)
    expect(all.at(-1)!.presence.present).toBe(true)
  })

  it.each([1, 2, 4, 8, 16])(
    "pulse_esp32/resp_6rpm.csv: a person lies still and breathes, by every packet in %i, and moves less than one who walks",
    (n) => {
      const all = readingsOf(decimate(batchesOf("pulse_esp32/resp_6rpm.csv"), n))
      expect(shareOf(all, false)).toBe(0)
      expect(shareOf(all.slice(startHops), true)).toBeGreaterThan(0.95)
      expect(meanMotion(all.slice(startHops))).toBeLessThan(0.3)
    },
  )
})

/** Share of the answered hops that say present, and share of all hops with an answer. */
const judgedOf = (name: string): { readonly present: number; readonly answered: number } => {
  const all = readingsOf(batchesOf(name))
  const answered = shareOf(all, true) + shareOf(all, false)
  return { present: shareOf(all, true) / answered, answered }
}

describe.skipIf(!hasRecordings("puz9"))("presence on recordings with bursts of packets and of noise", () => {
  it.each(["pulse_esp32/vacio_02.csv", "puz9/y_axis_empty.csv"])("%s: significant noise is not a person", (name) => {
    const { answered, present } = judgedOf(name)
    expect(present).toBe(0)
    expect(answered).toBeGreaterThan(0.8)
  })

  it("puz9/x_axis_empty.csv: bursts of noise are a person for a few seconds only", () => {
    const { answered, present } = judgedOf("puz9/x_axis_empty.csv")
    expect(present).toBeLessThan(0.06)
    expect(answered).toBeGreaterThan(0.75)
  })

  it.each(["pulse_esp32/mov_02.csv", "puz9/x_axis_walking.csv", "puz9/y_axis_walking.csv"])(
    "%s: a walking person is present",
    (name) => {
      const { answered, present } = judgedOf(name)
      expect(present).toBe(1)
      expect(answered).toBeGreaterThan(0.9)
    },
  )
})

/** Hours of an empty room: blocks of 20 s of a recording's observations, drawn with replacement, with a drifting power. */
const longEmpty = (name: string, hours: number): { readonly present: number; readonly absent: number } => {
  const reducer = new Reducer("r")
  const observations = [
    ...batchesOf(name).flatMap((batch) => reducer.push(batch)),
    ...reducer.flush(Number.MAX_SAFE_INTEGER),
  ]
  const byHop = new Map(observations.map((observation) => [observation.hop, observation]))
  // The first 6 s, in which the windows are filled, are in no block.
  const first = observations[0]!.hop + 60
  const starts = observations.at(-1)!.hop - first - 200
  const random = createRandom(5, name)
  const detector = new PresenceDetector()
  const counts = { present: 0, absent: 0 }
  for (let hop = 0, from = 0; hop < 36_000 * hours; hop++) {
    if (hop % 200 === 0) from = first + Math.floor(starts * random.uniform()) - hop
    const drift = 10 ** (0.5 * Math.sin(2 * Math.PI * hop / 36_000))
    const observation = byHop.get(from + hop)
    if (observation !== undefined) {
      const links = observation.links.map((link) => ({ ...link, dynamicPower: drift * (link.dynamicPower ?? 0) }))
      detector.add({ ...observation, hop, links })
    }
    const { present } = detector.read(hop).presence
    if (present !== null) counts[present ? "present" : "absent"]++
  }
  return counts
}

describe.skipIf(!hasRecordings("puz9"))(
  "hours of an empty room, made of blocks of a recording, whose power drifts by 5 dB",
  () => {
    it.each([
      ["pulse_esp32/vacio_01.csv", 0],
      ["pulse_esp32/vacio_02.csv", 0],
      ["pulse_esp32/resp_vacio.csv", 0],
      ["puz9/y_axis_empty.csv", 0.03],
    ])("%s", (name, shareMax) => {
      const { absent, present } = longEmpty(name, 3)
      expect(present / (absent + present)).toBeLessThanOrEqual(shareMax)
      expect(absent).toBeGreaterThan(0.85 * 3 * 36_000)
    })
  },
)

describe.skipIf(!hasRecordings("jasmin_har"))("presence on recordings at less than a packet a second", () => {
  it("jasmin_har/noPersonFanRunning.csv: a running fan in an empty room is not a person", () => {
    const all = readingsOf(batchesOf("jasmin_har/noPersonFanRunning.csv"))
    expect(shareOf(all, true)).toBe(0)
    expect(shareOf(all, false)).toBeGreaterThan(0.9)
    expect(meanMotion(all)).toBe(0)
  })

  it("jasmin_har/personDoingNormalActivity.csv: a person is present after minutes have filled the window", () => {
    const all = readingsOf(batchesOf("jasmin_har/personDoingNormalActivity.csv"))
    expect(shareOf(all, false)).toBe(0)
    // The power falls to that of the empty room after 27 minutes: unknown from there on.
    expect(shareOf(all, true)).toBeGreaterThan(0.6)
    expect(all[500]!.presence.reason).toContain("packets/s")
  })
})

/** Probability that the second of two has the larger value. */
const areaUnderCurve = (first: ReadonlyArray<number>, second: ReadonlyArray<number>): number => {
  let wins = 0
  for (const a of first) for (const b of second) wins += b > a ? 1 : b === a ? 0.5 : 0
  return wins / (first.length * second.length)
}

const geotecNames = !hasRecordings("geotec_stability")
  ? []
  : ["D1", "D4"].flatMap((day) =>
    readdirSync(recordingFile(`geotec_stability/${day}`)).filter((file) => file.endsWith("-x.npy"))
      .map((file) => `${day}/${file.slice(0, -"-x.npy".length)}`)
  )

/** Motion in the hops whose trailing second, the window of the dynamic power, has one label throughout. */
const motionIn = (readings: ReadonlyArray<PresenceReading>, labels: ReadonlyArray<string>, wanted: string) =>
  readings.flatMap(({ motion }, hop) =>
    motion !== null && hop >= 9 && labels.slice(10 * hop - 90, 10 * hop + 10).every((label) => label === wanted)
      ? [motion]
      : []
  )

/** Mean motion of each run of packets with this label, as if it were a capture of its own. */
const motionOfCaptures = (name: string, wanted: string): ReadonlyArray<number | null> => {
  const { batch, labels } = readGeotec(recordingFile(`geotec_stability/${name}`))
  const means: Array<number | null> = []
  for (let first = 0, end = 1; end <= labels.length; end++) {
    if (labels[end] === labels[first]) continue
    if (labels[first] === wanted) means.push(meanMotion(readingsOf([cut(batch, first, end)])))
    first = end
  }
  return means
}

describe.skipIf(!hasRecordings("geotec_stability"))("motion from amplitudes alone", () => {
  it.each(geotecNames)("geotec_stability/%s: who walks moves more than who sits, and is there", (name) => {
    const { batch, labels } = readGeotec(recordingFile(`geotec_stability/${name}`))
    const all = readingsOf([batch])
    const seated = motionIn(all, labels, "SEATED")
    const walking = motionIn(all, labels, "WALKING")
    expect(walking.length).toBeGreaterThan(8)
    expect(areaUnderCurve(seated, walking)).toBeGreaterThan(0.95)
    expect(all.at(-1)!.presence.present).toBe(true)
    expect(shareOf(all, false)).toBe(0)
  })

  it("one threshold parts sitting from walking on all recordings, an hour apart, in captures of a second or two", () => {
    const seated = geotecNames.flatMap((name) => motionOfCaptures(name, "SEATED"))
    const walking = geotecNames.flatMap((name) => motionOfCaptures(name, "WALKING"))
    expect(walking.length).toBe(geotecNames.length)
    expect([...seated, ...walking]).not.toContain(null)
    expect(Math.max(...seated.map(Number))).toBeLessThan(0.25)
    expect(Math.min(...walking.map(Number))).toBeGreaterThan(0.3)
  })

  it("says that there is no phase", () => {
    const observations = new Reducer("r").push(readGeotec(recordingFile(`geotec_stability/${geotecNames[0]!}`)).batch)
    expect(observations.every(({ amplitudeOnly }) => amplitudeOnly)).toBe(true)
    expect(observations.every(({ links }) => links[0]!.dynamic.every(Number.isFinite))).toBe(true)
  })
})
