/**
 * Compares answers of two servers. Words that no client reads are left out: those of a schema's and of the template parser's errors, and the
 * notation of a whole float where a case does not say that it matters.
 */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const wholeFloat = /^<number (-?\d+)\.0>$/

/** A value as it is compared. */
const compared = (value: Json, exact: boolean): Json => {
  if (typeof value === "string") {
    const whole = exact ? null : wholeFloat.exec(value)
    return whole === null ? value.replace(/(TemplateSyntaxError: ).*/s, "$1<words>") : Number(whole[1])
  }
  if (Array.isArray(value)) return value.map((part) => compared(part, exact))
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, part]) => [key, compared(part, exact)] as const)
  const result = Object.fromEntries(entries)
  return result["code"] === "invalid_format" ? { code: "invalid_format" } : result
}

const difference = (path: string, expected: Json | undefined, got: Json | undefined): ReadonlyArray<string> => {
  if (expected !== undefined && got !== undefined) {
    if (Array.isArray(expected) && Array.isArray(got)) {
      return Array.from(
        { length: Math.max(expected.length, got.length) },
        (_, i) => difference(`${path}[${i}]`, expected[i], got[i]),
      ).flat()
    }
    if (isObject(expected) && isObject(got)) {
      return [...new Set([...Object.keys(expected), ...Object.keys(got)])].flatMap((key) =>
        difference(`${path}.${key}`, expected[key], got[key])
      )
    }
    if (expected === got) return []
  }
  return [`${path}: ${JSON.stringify(expected)} but got ${JSON.stringify(got)}`]
}

/** Where the answers differ, one line each. */
export const differences = (expected: Json, got: Json, exact: boolean): ReadonlyArray<string> =>
  difference("", compared(expected, exact), compared(got, exact))
