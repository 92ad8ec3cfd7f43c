/**
 * Lines of JSON as rows of a table: the names of an object are those of columns.
 *
 * Owns which values are fields: short texts, numbers, long lists of numbers, and their bytes as a text. An object within, such as `meta`, adds its fields. Of a name that
 * occurs twice, the first is used. Lists of other things, such as pairs, are left out.
 */
import { plainOfServer } from "./csi-server-json.ts"
import { isListName, normalised } from "./table-columns.ts"
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
/** Letters of a field that is no list. Longer texts are in an encoding that no name states, except hexadecimal and what has the name of a list. */
const lettersMax = 64

const isList = (json: unknown): json is ReadonlyArray<number> =>
  Array.isArray(json) && json.length >= listMin && json.every((value) => typeof value === "number")

/** The field of a list; null for another value. */
const listText = (name: string, json: unknown): string | null => {
  if (isList(json)) return json.join(",")
  return typeof json === "string" && isListName(name) && isPacked(json) ? json : null
}

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
  const add = (object: Readonly<Record<string, unknown>>): void => {
    for (const [key, value] of Object.entries(object)) {
      const name = normalised(key)
      if (fields.has(name)) continue
      const listName = name === "raw" ? "raw_data" : name
      const list = listText(listName, value)
      if (list !== null) fields.set(listName, list)
      else if (isListName(name)) continue
      else if (typeof value === "number" || isText(name, value)) fields.set(name, String(value))
    }
  }
  add(json)
  for (const value of Object.values(json)) if (isObject(value)) add(value)
  return { names: [...fields.keys()], fields: [...fields.values()] }
}
