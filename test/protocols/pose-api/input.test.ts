import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { Fraction, Timestamp } from "../../../protocols/pose-api/fields.ts"
import { queryReader, reader } from "../../../protocols/pose-api/input.ts"

const Body = Schema.Struct({
  name: Schema.String,
  detection: Schema.optionalKey(
    Schema.Struct({ threshold: Fraction, ids: Schema.optionalKey(Schema.Array(Schema.Int)) }),
  ),
})

const errorsOf = (result: Result.Result<unknown, { readonly errors: ReadonlyArray<unknown> }>) =>
  Result.isFailure(result) ? result.failure.errors : []

describe("a time", () => {
  const isTime = Schema.is(Timestamp)

  it.each(["2026-02-28T00:00:00Z", "2028-02-29T23:59:59.999999999+14:00", "2026-12-31T24:00:00Z", "0000-01-01T00:00Z"])(
    "may be %s",
    (text) => expect(isTime(text)).toBe(true),
  )

  it.each([
    "2026-02-29T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "2026-04-31T00:00:00+02:00",
    "2026-00-10T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-01-32T00:00:00Z",
    "2026-01-05T25:00:00Z",
    "2026-01-05T00:00:00",
    "2026-01-05",
  ])("may not be %s", (text) => expect(isTime(text)).toBe(false))
})

describe("a query without parameters", () => {
  const read = queryReader(null)

  it("accepts only the form, and names every other parameter", () => {
    expect(Result.isSuccess(read(new URLSearchParams("form=bare")))).toBe(true)
    expect(errorsOf(read(new URLSearchParams("page=2&__proto__=x")))).toEqual([
      { field: "page", message: "is not a field of this request", received: "2" },
      { field: "__proto__", message: "is not a field of this request", received: "x" },
    ])
  })
})

describe("a body", () => {
  const read = reader(Body, { whole: "body" })

  it("that satisfies the schema is read", () => {
    expect(Result.getOrThrow(read({ name: "x", detection: { threshold: 1 } }))).toEqual({
      name: "x",
      detection: { threshold: 1 },
    })
  })

  it("has every invalid field named by its path, with the received value", () => {
    expect(errorsOf(read({ detection: { threshold: 1.5, ids: [1, "2"] }, extra: [1, 2] }))).toEqual([
      { field: "extra", message: "is not a field of this request", received: "[array of 2]" },
      { field: "name", message: "is missing", received: null },
      { field: "detection.threshold", message: "Expected a value between 0 and 1", received: 1.5 },
      { field: "detection.ids.1", message: "Expected number", received: "2" },
    ])
  })

  it("that is not an object is named as a whole", () => {
    expect(errorsOf(read(5))).toEqual([{ field: "body", message: "Expected object", received: 5 }])
  })

  it("has long texts truncated, and secrets never repeated", () => {
    const [error] = errorsOf(read({ name: "x", extra: "y".repeat(5000) }))
    expect(error).toMatchObject({ received: `${"y".repeat(200)}…` })
    expect(errorsOf(reader(Body, { whole: "body", secret: true })({ name: 5 }))).toMatchObject([{ received: null }])
  })
})

describe("a query", () => {
  const read = queryReader(Schema.Struct({
    count: Schema.optionalKey(Schema.Int),
    ratio: Schema.optionalKey(Fraction),
    all: Schema.optionalKey(Schema.Boolean),
    text: Schema.optionalKey(Schema.String),
  }))
  const of = (query: string) => read(new URLSearchParams(query))

  it("is read as the types of its schema", () => {
    expect(Result.getOrThrow(of("count=3&ratio=1e-1&all=false&text=12&form=bare"))).toEqual({
      count: 3,
      ratio: 0.1,
      all: false,
      text: "12",
    })
  })

  it.each(["count=1.5", "count=0x10", "count=", "count=%201", "ratio=1e999", "ratio=NaN", "all=yes", "all=1", "x=1"])(
    "with %s is refused",
    (query) => expect(errorsOf(of(query))).toHaveLength(1),
  )

  it("with a parameter given twice is rejected", () => {
    expect(errorsOf(of("text=a&text=b"))).toEqual([{
      field: "text",
      message: "is given more than once",
      received: "b",
    }])
  })
})

describe("a timestamp", () => {
  const is = Schema.is(Timestamp)

  it.each(["2026-01-05T09:30:00Z", "2026-01-05T09:30:00.125+02:00", "2026-01-05T09:30Z"])("is %s", (text) => {
    expect(is(text)).toBe(true)
  })

  it.each(["2026-01-05", "2026-01-05T09:30:00", "5 Jan 2026", "2026-13-05T09:30:00Z", "1767605400"])(
    "is not %s",
    (text) => expect(is(text)).toBe(false),
  )
})
