import { describe, expect, it } from "vitest"
import { roomSummary, sureText } from "../../../gateways/console/web/state/room-summary.ts"
import { person, received } from "./frames.ts"

const at = 50_000
const connected = { isConnected: true, hasHealthPage: true }

describe("the summary of a room", () => {
  it("says that no frame has come", () => {
    expect(roomSummary(null, at, connected)).toMatchObject({ state: "waiting", ageMs: null })
  })

  it.each(
    [
      ["empty", {}, "absent", "Empty, sure 0.90"],
      [
        "present and still",
        { presence: { present: true, confidence: 0.97, reason: null } },
        "present",
        "Somebody is here, still, sure 0.97",
      ],
      [
        "present and moving",
        { presence: { present: true, confidence: 1, reason: null }, motion: 0.6 },
        "present",
        "Somebody is here, moving, sure 0.99",
      ],
      [
        "not known",
        { presence: { present: null, confidence: 0, reason: "too short" } },
        "unknown",
        "Presence is not known",
      ],
    ] as const,
  )("says %s", (_, about, state, sentence) => {
    expect(roomSummary(received(at, at, [], about), at, connected)).toMatchObject({ state, sentence })
  })

  it("gives the reason of an unknown presence", () => {
    const about = { presence: { present: null, confidence: 0, reason: "the capture is too short" } }
    expect(roomSummary(received(at, at, [], about), at, connected).reason).toBe("the capture is too short")
  })

  it("counts persons and names what they do", () => {
    expect(roomSummary(received(at, at, [person(1, 1)]), at, connected).sentence).toBe("One person: walking")
    expect(roomSummary(received(at, at, [person(1, 1), person(2, 2)]), at, connected).sentence).toBe(
      "2 persons: walking",
    )
  })

  it("adds the time since a frame came to the age that the service stated", () => {
    expect(roomSummary(received(at, at), at + 400, connected).ageMs).toBe(500)
  })

  it("says that a room is late, then silent, instead of repeating its last frame", () => {
    const last = received(at, at, [person(1, 1)])
    expect(roomSummary(last, at + 2_800, connected).state).toBe("persons")
    expect(roomSummary(last, at + 2_900, connected)).toMatchObject({ state: "late", sentence: "Late by 3 s" })
    expect(roomSummary(last, at + 9_900, connected)).toMatchObject({ state: "stale", sentence: "Silent for 10 s" })
  })

  it("names the health page to those who can go there", () => {
    const reasonOf = (hasHealthPage: boolean) =>
      roomSummary(received(at, at), at + 20_000, { isConnected: true, hasHealthPage }).reason
    expect(reasonOf(true)).toMatch(/^Last heard .*The health page says why\.$/)
    expect(reasonOf(false)).not.toMatch(/health/)
  })

  it("does not blame the room for a connection that is lost", () => {
    const away = { isConnected: false, hasHealthPage: true }
    const last = received(at, at, [person(1, 1)])
    expect(roomSummary(last, at + 1_000, away).state).toBe("persons")
    for (const [afterMs, state] of [[5_000, "late"], [20_000, "stale"]] as const) {
      expect(roomSummary(last, at + afterMs, away)).toMatchObject({
        state,
        sentence: expect.stringMatching(/^Not connected to the service since .*\d:\d\d:\d\d/),
        reason: null,
      })
    }
    expect(roomSummary(null, at, away).reason).toBe("This page is not connected to the service.")
  })

  it("never says that it is entirely sure", () => {
    expect(sureText(1)).toBe("0.99")
    expect(sureText(0.5)).toBe("0.50")
  })
})
