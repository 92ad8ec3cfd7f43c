/** The figures of a report as titled facts, whatever the report: numbers, texts, and nulls with their reasons. Pure. */
import { dateTimeText } from "../state/time-text.ts"

type Json = string | number | boolean | null | ReadonlyArray<Json> | JsonObject
export interface JsonObject {
  readonly [name: string]: Json
}

interface Fact {
  readonly title: string
  /** Null: `reason` says why. */
  readonly text: string | null
  readonly reason: string | null
}

interface FactGroup {
  readonly title: string
  readonly facts: ReadonlyArray<Fact>
}

/** Endings of names that are units. Person-hours are a unit of their own. */
const units = ["minutes", "person_hours", "hours", "seconds"] as const

const sentence = (name: string): string => {
  const words = name.replaceAll("_", " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const titleAndUnit = (name: string): readonly [string, string] => {
  const unit = units.find((one) => name.endsWith(`_${one}`))
  return unit === undefined
    ? [sentence(name), ""]
    : [sentence(name.slice(0, -unit.length - 1)), ` ${unit.replace("_", "-")}`]
}

const isTime = /^\d{4}-\d\d-\d\dT/

const textOf = (value: string | number | boolean, unit: string): string => {
  if (typeof value === "number") return `${Number.isInteger(value) ? value : value.toFixed(2)}${unit}`
  return isTime.test(String(value)) ? dateTimeText(String(value)) : String(value)
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

type Reasons = Readonly<Record<string, string>>

/** The longest prefix of a path that has a reason gives it. */
const reasonAt = (reasons: Reasons, path: string): string | null => {
  for (let at = path; at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf(".")))) {
    const reason = reasons[at]
    if (reason !== undefined) return reason
  }
  return null
}

const factOf = (name: string, value: Json, path: string, reasons: Reasons): ReadonlyArray<Fact> => {
  if (Array.isArray(value) || isObject(value)) return []
  const [title, unit] = titleAndUnit(name)
  const reason = reasonAt(reasons, path)
  return [{ title, text: value === null ? null : textOf(value as string | number | boolean, unit), reason }]
}

/**
 * The members of a report that are objects, one group each; its plain members are a group of their own.
 *
 * @param path what precedes the names of the members in the paths of the reasons, for example `metrics.`
 */
export const factGroups = (members: JsonObject, reasons: Reasons, path = ""): ReadonlyArray<FactGroup> => {
  const plain = Object.entries(members).flatMap(([name, value]) => factOf(name, value, path + name, reasons))
  const groups = Object.entries(members).flatMap(([name, value]): ReadonlyArray<FactGroup> =>
    isObject(value)
      ? [{
        title: sentence(name),
        facts: Object.entries(value).flatMap(([inner, one]) => factOf(inner, one, `${path}${name}.${inner}`, reasons)),
      }]
      : []
  )
  return [...(plain.length === 0 ? [] : [{ title: "Summary", facts: plain }]), ...groups]
    .filter(({ facts }) => facts.length > 0)
}
