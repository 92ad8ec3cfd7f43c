/**
 * Converts JSON values to text as Python's `str()` does, because clients expect that form when they set a state to another type.
 *
 * The notation of a number matters: `0` and `0.0` are different states.
 */
import type { Schema } from "effect"

type Json = Schema.Json

/** A decimal number in the fewest digits that restore it, in the notation that Python uses. */
const floatText = (value: number): string => {
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf"
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0"
  const [digits = "", power = ""] = value.toExponential().split("e")
  const exponent = Number(power)
  if (exponent >= -4 && exponent < 16) {
    const plain = Math.abs(value) < 1e-6 ? value.toFixed(-exponent + digits.length) : String(value)
    return plain.includes(".") ? plain : `${plain}.0`
  }
  return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`
}

/** A number, given its JSON source text. */
export const numberText = (source: string): string =>
  /^-?\d+$/.test(source) ? BigInt(source).toString() : floatText(Number(source))

const quoted = (text: string): string => {
  const escaped = text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t")
  return escaped.includes("'") && !escaped.includes('"') ? `"${escaped}"` : `'${escaped.replaceAll("'", "\\'")}'`
}

/** A value inside an array or object. */
const partText = (value: Json): string => typeof value === "string" ? quoted(value) : pythonText(value)

/** Any value. A number whose source text is unknown is formatted from its value. */
export const pythonText = (value: Json): string => {
  if (typeof value === "string") return value
  if (value === null) return "None"
  if (typeof value === "boolean") return value ? "True" : "False"
  if (typeof value === "number") return numberText(String(value))
  if (Array.isArray(value)) return `[${value.map(partText).join(", ")}]`
  return `{${Object.entries(value).map(([key, part]) => `${quoted(key)}: ${partText(part)}`).join(", ")}}`
}

/** The source text of the number under a key of the outermost object; null if there is none. */
export const numberSource = (text: string, key: string): string | null => {
  const sources = new Map<unknown, string>()
  const note = function (this: unknown, name: string, value: unknown, context?: { readonly source: string }): unknown {
    if (name === key && typeof value === "number" && context !== undefined) sources.set(this, context.source)
    return value
  }
  return sources.get(JSON.parse(text, note)) ?? null
}
