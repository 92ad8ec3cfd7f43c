/** The lines of the log: one per entry, for any message and values. */
import { Cause, Effect, Logger } from "effect"
import { describe, expect, it } from "vitest"
import { expandShortcut } from "../../../deploy/command-line/shortcuts.mjs"
import { componentOf, lineLogger, type LogFormat, logFormatOf } from "../../../deploy/settings/log.ts"

it("has the format of the variable, and is text with another value", () => {
  const formats = ["json", "text", "xml", undefined].map((value) => logFormatOf({ WAVEPOSE_LOG_FORMAT: value }))
  expect(formats).toEqual(["json", "text", "text", "text"])
})

const linesOf = async (format: LogFormat, program: Effect.Effect<void>): Promise<ReadonlyArray<string>> => {
  const lines: Array<string> = []
  const logger = Logger.layer([lineLogger(format, "service", (line) => void lines.push(line))])
  await Effect.runPromise(Effect.provide(program, logger))
  return lines
}

const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`

describe("the log as text", () => {
  it("has time, level, component, message and fields in one line", async () => {
    const program = Effect.logInfo("source", { hops: 3, device: "128-bit SIMD", name: "a=b", empty: "", none: null })
    const [line, ...rest] = await linesOf("text", program)
    expect(rest).toEqual([])
    expect(line).toMatch(
      new RegExp(`^${time} INFO  service source hops=3 device="128-bit SIMD" name="a=b" empty="" none=null$`),
    )
  })

  it("has causes, errors, annotations and nested values as fields", async () => {
    const program = Effect.logWarning("it broke", Cause.fail("gone"), { list: [1, { deep: true }] }).pipe(
      Effect.annotateLogs({ module: "effect/cluster/Sharding" }),
    )
    const [line, ...rest] = await linesOf("text", program)
    expect(rest).toEqual([])
    expect(line).toContain("WARN  service it broke list=")
    expect(line).toContain(String.raw`list="[1,{\"deep\":true}]" cause="Error: gone" module=effect/cluster/Sharding`)
  })

  it("escapes what could forge a line or move the cursor", async () => {
    const forged = "plugin says\n2026-01-01T00:00:00.000Z ERROR service forged\r\u001b[2J\u0085\u2028\u202e"
    const [line, ...rest] = await linesOf("text", Effect.logInfo(forged, { "key\n= x": forged }))
    expect(rest).toEqual([])
    // deno-lint-ignore no-control-regex
    expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/)
    expect(line).toContain(String.raw`plugin says\n2026-01-01T00:00:00.000Z ERROR service forged\r\u001b[2J\u0085`)
    expect(line).toContain(String.raw`key\n__x="plugin says\n`)
  })
})

describe("the log as JSON", () => {
  it("is one object per line, whose own keys fields cannot replace", async () => {
    const program = Effect.logError("two\nlines", { level: "debug", hops: 3, text: "\u001b[2J\u009b" })
    const [line, ...rest] = await linesOf("json", program)
    expect(rest).toEqual([])
    // deno-lint-ignore no-control-regex
    expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
    expect(JSON.parse(line!)).toEqual({
      time: expect.stringMatching(new RegExp(`^${time}$`)),
      level: "error",
      component: "service",
      message: "two\nlines",
      field_level: "debug",
      hops: 3,
      text: "\u001b[2J\u009b",
    })
  })
})

describe("a component", () => {
  it("is named after the command of the process", () => {
    const lines = ["start", "bridge", "mqtt", "sim run", "replay x.csv", "serial -", "node list", "--version"]
    expect(lines.map((line) => componentOf(expandShortcut(line.split(" "))))).toEqual(
      ["service", "bridge", "mqtt", "source", "source", "source", "node", "wavepose"],
    )
  })
})
