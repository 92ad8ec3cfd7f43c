/** What an environment says of the room that its routers share. */
import { expect, it } from "vitest"
import { roomReadingOf } from "../../../actors/environment/room-reading.ts"
import { testPerson } from "../../harness/frames.ts"

const counting = ["presence", "motion", "breathing", "location", "count"] as const
const absent = { present: false, confidence: 0.8, reason: null }
const present = { present: true, confidence: 0.6, reason: null }

it("is null where persons cannot be counted, because the routers may be anywhere", () => {
  expect(roomReadingOf({ capabilities: ["presence"], persons: [], personsReason: "no geometry", presence: present }))
    .toBeNull()
})

it("counts located persons, and none in an empty room", () => {
  const persons = [testPerson(1, "walking"), testPerson(2, "sitting")]
  expect(roomReadingOf({ capabilities: counting, persons, personsReason: null, presence: present })).toEqual({
    presence: present,
    nPersons: 2,
    reason: null,
  })
  expect(roomReadingOf({ capabilities: counting, persons: [], personsReason: "none", presence: absent })).toEqual({
    presence: absent,
    nPersons: 0,
    reason: null,
  })
})

it("does not count a person who is present and not located", () => {
  expect(roomReadingOf({ capabilities: counting, persons: [], personsReason: "they do not agree", presence: present }))
    .toEqual({ presence: present, nPersons: null, reason: "they do not agree" })
})
