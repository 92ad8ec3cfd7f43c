import { describe, expect, it } from "vitest"
import { roomSummary, sureText } from "../../../gateways/console/web/state/room-summary.ts"
import { person, received } from "./frames.ts"

const at = 50_000

describe("the summary of a room", () => {
  it("says that no frame has come", () => {
    expect(roomSummary(null, at)).toMatchObject({ state: "waiting", ageMs: null })
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
    expect(roomSummary(received(at, at, [], about), at)).toMatchObject({ state, sentence })
  })

  it("gives the reason of an unknown presence", () => {
    const about = { presence: { present: null, confidence: 0, reason: "the capture is too short" } }
    expect(roomSummary(received(at, at, [], about), at).reason).toBe("the capture is too short")
  })

  it("counts persons and names what they do", () => {
    expect(roomSummary(received(at, at, [person(1, 1)]), at).sentence).toBe("One person: walking")
    expect(roomSummary(received(at, at, [person(1, 1), person(2, 2)]), at).sentence).toBe("2 persons: walking")
  })

  it("adds the time since a frame came to the age that the service stated", () => {
    expect(roomSummary(received(at, at), at + 400).ageMs).toBe(500)
  })

  it("says that a room is late, then silent, instead of repeating its last frame", () => {
    const last = received(at, at, [person(1, 1)])
    expect(roomSummary(last, at + 2_800).state).toBe("persons")
    expect(roomSummary(last, at + 2_900)).toMatchObject({ state: "late", sentence: "Late by 3 s" })
    expect(roomSummary(last, at + 9_900)).toMatchObject({ state: "stale", sentence: "Silent for 10 s" })
  })

  it("never says that it is entirely sure", () => {
    expect(sureText(1)).toBe("0.99")
    expect(sureText(0.5)).toBe("0.50")
  })
})
