/** The reading of the room that the routers of an environment share; null where the site cannot count persons. Pure. */
import type { RoomReading } from "../../protocols/messages/edge-node.ts"
import type { Estimate } from "./seen-site.ts"

export const roomReadingOf = (
  { capabilities, persons, personsReason, presence }: Pick<
    Estimate,
    "capabilities" | "persons" | "personsReason" | "presence"
  >,
): RoomReading | null => {
  if (!capabilities.includes("count")) return null
  if (persons.length > 0) return { presence, nPersons: persons.length, reason: null }
  if (presence.present === false) return { presence, nPersons: 0, reason: null }
  return { presence, nPersons: null, reason: personsReason ?? "No person is located." }
}
