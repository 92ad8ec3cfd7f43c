/** After a silence of CSI, nobody is reported from the state before it: persons and alerts need new evidence. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { ActivityWatch } from "../../../actors/environment/activity-watch.ts"
import type { Estimate } from "../../../actors/environment/seen-site.ts"
import { statusOf } from "../../../actors/track/machine.ts"
import { defaultStartOptions } from "../../../protocols/domain/system.ts"
import { decodeScenario } from "../../../sim/scenario/scenario.ts"
import smallRoom from "../../../sim/scenarios/small-room.json" with { type: "json" }
import { compute } from "../../harness/compute.ts"
import { detectionAt, noEcho, unknownEcho } from "../../harness/detections.ts"
import { echo, makeTracks, statuses, trackOf, walk } from "../../harness/followed-tracks.ts"
import { heardOf, roomOf } from "../../harness/heard-room.ts"

const scenario = Effect.runSync(decodeScenario({ ...smallRoom, emptySeconds: 16 }))
const heard = heardOf(scenario, 0, scenario.emptySeconds + 10).filter(({ observations }) => observations.length > 0)
type Heard = typeof heard
/** The windows of the links are filled after some seconds. */
const emptyRoom = heard.slice(50, 150)
const walkedRoom = heard.slice(-60)

/** The room after somebody has walked in it, and the alerts of a watch that is armed in a silence, of which other hops follow. */
const afterSilence = (silentHops: number, hops: Heard) => {
  const room = roomOf(scenario, null)
  const watch = new ActivityWatch({ environmentId: "small-room" }, () => "id")
  watch.configure({ ...defaultStartOptions, domain: "security" })
  const frameOf = (hop: number, observations: Heard[number]["observations"]): Estimate => {
    compute(room.observe(hop, observations.map((observation) => ({ ...observation, hop }))))
    return room.estimate(null)
  }
  let before: Estimate | undefined
  for (const { hop, observations } of heard) before = frameOf(hop, observations)
  const shift = heard.at(-1)!.hop + 1 + silentHops - hops[0]!.hop
  const after = hops.map(({ hop, observations }) => {
    const frame = frameOf(hop + shift, observations)
    const { events } = watch.step((hop + shift + 1) * 100, frame, room.samples)
    return { frame, alerts: events.filter(({ detail }) => detail.type === "intrusion_detection") }
  })
  return { room, before: before!, after }
}

describe("an environment after a silence of CSI", () => {
  it("reports nobody in a room that was left in the silence, and raises no intrusion", () => {
    for (const silentHops of [61, 600]) {
      const { after, before, room } = afterSilence(silentHops, emptyRoom)
      expect([before.persons.length, before.presence.present]).toEqual([1, true])
      expect(after.flatMap(({ frame }) => frame.persons)).toEqual([])
      expect(after.filter(({ frame }) => frame.presence.present === true)).toEqual([])
      expect(after.flatMap(({ alerts }) => alerts)).toEqual([])
      expect(after[0]!.frame.personsReason).toContain(`no CSI came for ${(silentHops / 10).toFixed(1)} s`)
      expect(room.trackRecords.map(({ status }) => status)).toEqual(["ended"])
    }
  })

  it("finds a person who is still there by new evidence, as another track", () => {
    const { after, before } = afterSilence(600, walkedRoom)
    expect(after[0]!.frame.persons).toEqual([])
    const { persons, personsReason, presence } = after.at(-1)!.frame
    expect([persons.length, presence.present, personsReason]).toEqual([1, true, null])
    expect(persons[0]!.id).not.toBe(before.persons[0]!.id)
    expect(after.flatMap(({ alerts }) => alerts)).toHaveLength(1)
  })

  it("keeps its persons over a silence that is shorter than a track lives without detections", () => {
    const { after, before } = afterSilence(30, walkedRoom)
    expect(after[0]!.frame.persons.map(({ id }) => id)).toEqual(before.persons.map(({ id }) => id))
  })
})

describe("tracks after a silence", () => {
  const walked = (trackingMaxAgeFrames = 60) => {
    const made = makeTracks({ trackingMaxAgeFrames })
    made.run(40, walk(1))
    return made
  }

  it("end after the time of a lost track, not before", () => {
    const { tracks } = walked()
    tracks.passSilence(60)
    expect([statuses(tracks), tracks.silenceHops]).toEqual([[[101, "active"]], null])
    tracks.passSilence(61)
    expect([tracks.current, tracks.silenceHops, tracks.everyoneLeft]).toEqual([[], 61, false])
    expect(tracks.ended.map(({ id, snapshot }) => [id, statusOf(snapshot)])).toEqual([[101, "ended"]])
  })

  it("end earlier or are lost, as their greatest age says, but are not lost by hops that are left out", () => {
    const young = walked(2)
    expect(young.tracks.silenceHopsMax).toBe(10)
    young.tracks.passSilence(11)
    expect(young.tracks.current).toEqual([])
    const { run, tracks } = walked(600)
    tracks.passSilence(400)
    expect(statuses(tracks)).toEqual([[101, "lost"]])
    // An unknown place is no evidence.
    run(1, echo(unknownEcho), 401)
    expect(statuses(tracks)).toEqual([[101, "lost"]])
    const { x, y } = trackOf(tracks, 101).person.standing
    run(1, () => ({ detections: [detectionAt(x, y, [0.5, 0])] }))
    expect([statuses(tracks), tracks.silenceHops]).toEqual([[[101, "active"]], null])
    tracks.passSilence(601)
    expect(tracks.current).toEqual([])
  })

  it("forget who had left before it, until the room is found empty", () => {
    const { run, tracks } = makeTracks({}, 10, [5, 8, 2.5])
    run(55, (hop) => ({ detections: [detectionAt(Math.min(5, 1 + 0.1 * hop), 4, [1, 0])] }))
    run(20, echo(noEcho))
    expect(tracks.everyoneLeft).toBe(true)
    tracks.passSilence(61)
    expect(tracks.everyoneLeft).toBe(false)
    run(1, () => ({ empty: true }))
    expect([tracks.everyoneLeft, tracks.silenceHops]).toEqual([false, null])
  })

  it("do not take a walker for a standing person because time has passed", () => {
    expect(walked().tracks.expected(5)).toMatchObject([{ stands: false }])
  })
})
