/**
 * The log of every process of `wavepose`: one line per entry, on stderr.
 *
 * Text: `time level component message key=value …`. With `WAVEPOSE_LOG_FORMAT=json`: one JSON object. Messages and values may come from
 * outside, so characters that could end a line, move the cursor or reorder text are escaped. Boundary: `main.ts` sets the level.
 */
import { Cause, Logger, References } from "effect"

export const logFormats = ["text", "json"] as const
export type LogFormat = typeof logFormats[number]

/** The format, also where other settings are invalid. */
export const logFormatOf = (environment: Readonly<Record<string, string | undefined>>): LogFormat =>
  logFormats.find((format) => format === environment["WAVEPOSE_LOG_FORMAT"]) ?? "text"

/** An entry, in either format. */
interface LogEntry {
  readonly time: string
  readonly level: string
  readonly component: string
  readonly message: string
  readonly fields: ReadonlyArray<readonly [name: string, value: string | number | boolean | null]>
}

/** Maximum length of a value, for example a stack trace. */
const valueCharactersMax = 4_000

// C0 and C1 controls, line and paragraph separators, and characters that change the direction of text.
// deno-lint-ignore no-control-regex
const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

/** Escapes characters that control a terminal or a reader of lines. */
const escapeControls = (text: string): string =>
  text.replace(unsafe, (character) => short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

const bounded = (text: string): string =>
  text.length <= valueCharactersMax ? text : `${text.slice(0, valueCharactersMax)}…`

/** The value of a logfmt pair: quoted if it is empty or has blanks, quotes or an equals sign. */
const logfmtValue = (value: LogEntry["fields"][number][1]): string => {
  const text = String(value)
  const plain = text !== "" && !/[\s"=\\]/.test(text)
  return escapeControls(plain ? text : `"${text.replace(/["\\]/g, "\\$&")}"`)
}

const logfmtName = (name: string): string => escapeControls(name).replace(/[\s"=]/g, "_")

const textLine = ({ component, fields, level, message, time }: LogEntry): string =>
  [
    time,
    level.toUpperCase().padEnd(5),
    component,
    escapeControls(message),
    ...fields.map(([name, value]) => `${logfmtName(name)}=${logfmtValue(value)}`),
  ].join(" ")

const jsonLine = ({ component, fields, level, message, time }: LogEntry): string =>
  escapeControls(JSON.stringify({ time, level: level.toLowerCase(), component, message, ...fieldsObject(fields) }))

/** The fields of an entry. They cannot replace its own. */
const fieldsObject = (fields: LogEntry["fields"]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(fields.map(([name, value]) => [reserved.has(name) ? `field_${name}` : name, value]))

const reserved: ReadonlySet<string> = new Set(["time", "level", "component", "message", "__proto__"])

const jsonOf = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}

const valueOf = (value: unknown): LogEntry["fields"][number][1] => {
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value
  if (typeof value === "string") return bounded(value)
  if (Cause.isCause(value)) return bounded(Cause.pretty(value))
  if (value instanceof Error) return bounded(value.stack ?? String(value))
  return bounded(typeof value === "object" ? jsonOf(value) : String(value))
}

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** The entry of a call of Effect's logger: texts form the message; objects, causes and annotations are fields. */
const entryOf = (
  { cause, date, fiber, logLevel, message }: Logger.Options<unknown>,
  component: string,
): LogEntry => {
  const texts: Array<string> = []
  const fields: Array<readonly [string, LogEntry["fields"][number][1]]> = []
  for (const part of Array.isArray(message) ? message : [message]) {
    if (isFields(part)) fields.push(...Object.entries(part).map(([name, value]) => [name, valueOf(value)] as const))
    else if (Cause.isCause(part) || part instanceof Error) fields.push(["cause", valueOf(part)])
    else texts.push(String(valueOf(part)))
  }
  if (cause.reasons.length > 0) fields.push(["cause", valueOf(cause)])
  for (const [name, value] of Object.entries(fiber.getRef(References.CurrentLogAnnotations))) {
    fields.push([name, valueOf(value)])
  }
  return { time: date.toISOString(), level: logLevel, component, message: bounded(texts.join(" ")), fields }
}

/** The component of a command of `wavepose` in the log, from its noun and verb. */
export const componentOf = ([noun, verb = ""]: ReadonlyArray<string>): string => {
  if (noun === undefined || noun.startsWith("-")) return "wavepose"
  if (noun === "service" && verb === "start") return "service"
  if (noun === "edge") return verb
  return noun === "sim" || ["replay", "serial"].includes(verb) ? "source" : noun
}

/** A logger that writes lines. */
export const lineLogger = (format: LogFormat, component: string, write: (line: string) => void) => {
  const line = format === "json" ? jsonLine : textLine
  return Logger.make((options) => write(line(entryOf(options, component))))
}
