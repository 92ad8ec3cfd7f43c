/** The persons of a frame in words: letter, activity, place, speed, certainty. */
import { sureText } from "../state/room-summary.ts"
import type { Person } from "../service/types.ts"
import { hueOf, letterOf } from "./skeleton.ts"

const speed = ({ velocity }: Person["tracking_info"]): string => {
  const metresPerS = Math.hypot(velocity.x, velocity.y)
  return metresPerS < 0.15 ? "" : `, ${metresPerS.toFixed(1)} m/s`
}

const Letter = ({ letter }: { readonly letter: string }) => (
  <b style={{ borderBottom: `0.2em solid hsl(${hueOf(letter)} 60% 48%)` }}>{letter}</b>
)

export const PersonsList = ({ letters, persons }: {
  /** The letter of each person, by id. */
  readonly letters: Map<number, string>
  readonly persons: ReadonlyArray<Person>
}) => (
  <ul class="persons" aria-label="Persons">
    {persons.map((person) => (
      <li key={person.id}>
        <Letter letter={letterOf(letters, person)} />
        {` ${person.activity}`}
        {` at ${person.location.x.toFixed(1)}, ${person.location.y.toFixed(1)} m${speed(person.tracking_info)}, sure ${
          sureText(person.confidence)
        }`}
      </li>
    ))}
  </ul>
)
