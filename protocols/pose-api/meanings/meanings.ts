/**
 * What a property of the API means, by its name, for properties whose schema has no description.
 *
 * A name has one meaning in the whole API. Where it does not, the key is `parent.name`: the property or component that contains it. Units
 * are in the text. `test/gateways/pose/openapi.test.ts` requires a meaning for each property, and that each meaning is used.
 */
import { reportMeanings } from "./reports.ts"
import { sensingMeanings } from "./sensing.ts"
import { systemMeanings } from "./system.ts"

export const meanings: Readonly<Record<string, string>> = { ...systemMeanings, ...sensingMeanings, ...reportMeanings }

/** The meaning of a property inside these properties and components, the innermost last; null if it has none. */
export const meaningOf = (inside: ReadonlyArray<string>, name: string): string | null => {
  const keys = inside.map((_, at) => [...inside.slice(at), name].join("."))
  return [...keys, name].map((key) => meanings[key]).find((text) => text !== undefined) ?? null
}
