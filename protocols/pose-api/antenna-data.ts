/**
 * The antenna data of a request: rows of complex numbers, checked in one pass.
 *
 * A request may have tens of thousands of them. A schema per number would block the event loop for a second, so this single check
 * compares the sizes first and stops after a few issues.
 */
import { Schema } from "effect"
import { type ComplexNumber, type JsonCsi } from "../../core/formats/json-csi.ts"
import { frameLimits } from "../../core/formats/csi-batch.ts"

const subcarriersMin = 2
/** Maximum number of issues that are reported. */
const issuesMax = 8
/** The largest 32-bit float. */
const magnitudeMax = (2 - 2 ** -23) * 2 ** 127

interface Issue {
  readonly path: ReadonlyArray<PropertyKey>
  readonly issue: string
}

/** The issues of one number. */
const numberIssues = (value: unknown, path: ReadonlyArray<PropertyKey>): ReadonlyArray<Issue> => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return [{ path, issue: "Expected an object with real and imag" }]
  }
  const issues: Array<Issue> = []
  for (const part of ["real", "imag"] as const) {
    const number: unknown = (value as Partial<ComplexNumber>)[part]
    if (typeof number !== "number" || !(Math.abs(number) <= magnitudeMax)) {
      issues.push({ path: [...path, part], issue: "Expected a finite 32-bit number" })
    }
  }
  for (const key in value) {
    if (key !== "real" && key !== "imag") issues.push({ path: [...path, key], issue: "is not a field of this request" })
  }
  return issues
}

const isNumber = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return false
  const { imag, real, ...rest } = value as ComplexNumber
  return typeof real === "number" && typeof imag === "number" && Math.abs(real) <= magnitudeMax &&
    Math.abs(imag) <= magnitudeMax && Object.keys(rest).length === 0
}

/** The issues of the sizes. Empty: the numbers can be checked. */
const sizeIssues = (rows: unknown): ReadonlyArray<Issue> => {
  const { antennas, subcarriers, values } = frameLimits
  if (!Array.isArray(rows)) return [{ path: [], issue: "Expected an array of antennas" }]
  if (rows.length < 1 || rows.length > antennas) {
    return [{ path: [], issue: `Expected 1 to ${antennas} antennas, got ${rows.length}` }]
  }
  const count: unknown = Array.isArray(rows[0]) ? rows[0].length : null
  const issues = rows.flatMap((row: unknown, i): ReadonlyArray<Issue> => {
    if (!Array.isArray(row)) return [{ path: [i], issue: "Expected an array of subcarriers" }]
    if (row.length < subcarriersMin || row.length > subcarriers) {
      return [{ path: [i], issue: `Expected ${subcarriersMin} to ${subcarriers} subcarriers, got ${row.length}` }]
    }
    return row.length === count
      ? []
      : [{ path: [i], issue: `Expected as many subcarriers as antenna 0 has (${count}), got ${row.length}` }]
  })
  if (issues.length > 0) return issues
  const total = rows.length * (count as number)
  return total > values ? [{ path: [], issue: `Expected at most ${values} numbers, got ${total}` }] : []
}

const issuesOf = (rows: unknown): ReadonlyArray<Issue> => {
  const sizes = sizeIssues(rows)
  if (sizes.length > 0) return sizes
  const issues: Array<Issue> = []
  for (const [i, row] of (rows as ReadonlyArray<ReadonlyArray<unknown>>).entries()) {
    for (const [j, value] of row.entries()) {
      if (isNumber(value)) continue
      issues.push(...numberIssues(value, [i, j]))
      if (issues.length >= issuesMax) return issues.slice(0, issuesMax)
    }
  }
  return issues
}

const partSchema = { type: "number", minimum: -magnitudeMax, maximum: magnitudeMax }

const complexSchema = {
  type: "object",
  properties: { real: partSchema, imag: partSchema },
  required: ["real", "imag"],
  additionalProperties: false,
}

/** The schema of antenna data, with `AntennaData` as its type. */
export const AntennaDataField = Schema.Array(Schema.Unknown).check(
  Schema.makeFilter(issuesOf, {
    toJsonSchema: () => ({
      minItems: 1,
      maxItems: frameLimits.antennas,
      items: {
        type: "array",
        minItems: subcarriersMin,
        maxItems: frameLimits.subcarriers,
        items: complexSchema,
      },
    }),
  }),
).annotate({
  description: "Complex channel by [antenna][subcarrier]. All antennas have the same number of subcarriers.",
})

export type AntennaData = JsonCsi["antennas"]
