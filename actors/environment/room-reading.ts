/** What an estimate says of the room that its routers share; null where the site cannot count. Pure. */
import type { RoomReading } from "../../protocols/messages/edge-node.ts"
import type { Estimate } from "./estimator.ts"

export const roomReadingOf = (
  { capabilities, persons, personsReason, presence }: Pick<
    Estimate,
    "capabilities" | "persons" | "personsReason" | "presence"
  >,
): RoomReading | null => {
  if (!capabilities.includes("count")) return null
  if (persons.length > 0) return { presence, nPersons: persons.length, reason: null }
  if (presence.present === false) return { presence, nPersons: 0, reason: null }
  return { presence, nPersons: null, reason: personsReason ?? "Nobody is located." }
}
