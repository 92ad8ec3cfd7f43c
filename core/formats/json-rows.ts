/**
 * Lines of JSON as rows of a table: the names of an object are those of columns.
 *
 * Owns which values are fields: short texts, numbers, long lists of numbers, and, without CSI in these, its bytes as a text. An object within, such as
 * `meta`, adds its fields. Of a name that occurs twice, the first is used. Lists of other things, such as pairs, are left out.
 */
import { plainOfServer } from "./csi-server-json.ts"
import { isListName, normalised, valuesOf } from "./table-columns.ts"
import { isPacked } from "./table-fields.ts"

interface Row {
  /** Normalised names. */
  readonly names: ReadonlyArray<string>
  /** A list as text with commas. */
  readonly fields: ReadonlyArray<string>
}

const isObject = (json: unknown): json is Readonly<Record<string, unknown>> =>
  typeof json === "object" && json !== null && !Array.isArray(json)

/** Fewest numbers of a list that is CSI. */
const listMin = 30
/** Letters of a field that is no list. Longer texts are in an encoding that no name states, except hexadecimal. */
const lettersMax = 64

const isList = (json: unknown): json is ReadonlyArray<number> =>
  Array.isArray(json) && json.length >= listMin && json.every((value) => typeof value === "number")

const isText = (name: string, json: unknown): json is string =>
  typeof json === "string" && (json.length <= lettersMax || name.endsWith("_hex"))

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The row of a line; null if it is no JSON object. */
export const rowOfJson = (line: string): Row | null => {
  const read = parsed(line)
  if (!isObject(read)) return null
  const json = plainOfServer(read) ?? read
  const fields = new Map<string, string>()
  const packed = new Map<string, string>()
  const add = (object: Readonly<Record<string, unknown>>): void => {
    for (const [key, value] of Object.entries(object)) {
      const name = normalised(key) === "raw" ? "raw_data" : normalised(key)
      if (fields.has(name)) continue
      if (isList(value)) fields.set(name, value.join(","))
      else if (isListName(name)) {
        if (typeof value === "string" && isPacked(value) && !packed.has(name)) packed.set(name, value)
      } else if (typeof value === "number" || isText(name, value)) fields.set(name, String(value))
    }
  }
  add(json)
  for (const value of Object.values(json)) if (isObject(value)) add(value)
  if (valuesOf([...fields.keys()]) === null) { for (const [name, value] of packed) fields.set(name, value) }
  return { names: [...fields.keys()], fields: [...fields.values()] }
}
