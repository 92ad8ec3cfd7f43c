/**
 * The output of the log: stderr, or a file beside a terminal that shows warnings and errors only.
 *
 * Invariants: the file is opened at the first line, so that a start that is rejected creates no folder. It has at most `bytesMax`; the one
 * before it is kept with the suffix `.1`. A file that cannot be written is replaced by stderr.
 */
import { Context } from "effect"
import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs"
import { dirname, resolve } from "node:path"

interface LogOutput {
  /** Path of the file; null: stderr. */
  readonly file: string | null
  /** Writes a line without its end. */
  readonly write: (line: string) => void
}

type Write = (text: string) => void

const toStderr: Write = (text) => void process.stderr.write(text)

export const stderrOutput: LogOutput = { file: null, write: (line) => toStderr(`${line}\n`) }

/** The output of this process's log, for the logs of its children. */
export const CurrentLogOutput = Context.Reference<LogOutput>("wavepose/LogOutput", { defaultValue: () => stderrOutput })

const bytesMaxDefault = 10_000_000

/** Warnings and worse, in both formats of the log. */
const urgent = /^(\S+ (WARN|ERROR|FATAL) |\{.*"level":"(warn|error|fatal)")/

interface FileOptions {
  readonly bytesMax?: number
  /** Receives warnings and errors, and every line once the file cannot be written. */
  readonly terminal?: Write
}

/** An output to a file. Warnings and errors are also shown on the terminal. */
export const fileOutput = (
  path: string,
  { bytesMax = bytesMaxDefault, terminal = toStderr }: FileOptions = {},
): LogOutput => {
  const file = resolve(path)
  let open: { readonly descriptor: number; bytes: number } | null = null
  let failed = false
  const begin = () => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const descriptor = openSync(file, "a", 0o600)
    return { descriptor, bytes: fstatSync(descriptor).size }
  }
  const append = (text: string): void => {
    open ??= begin()
    if (open.bytes > 0 && open.bytes + text.length > bytesMax) {
      closeSync(open.descriptor)
      open = null
      renameSync(file, `${file}.1`)
      open = begin()
    }
    open.bytes += writeSync(open.descriptor, text)
  }
  const write = (line: string): void => {
    const text = `${line}\n`
    if (failed || urgent.test(line)) terminal(text)
    if (failed) return
    try {
      append(text)
    } catch (error) {
      failed = true
      terminal(
        `wavepose: the log cannot be written to ${file} (${(error as Error).message}). It continues here.\n${text}`,
      )
    }
  }
  return { file, write }
}

/** Name of the log in the data folder. */
const logName = "wavepose.log"

/** The log of `service start` on a terminal is a file in the data folder, unless the command line has `--log`; all others are stderr. */
export const chooseLogOutput = (args: ReadonlyArray<string>, dataDirectory: string, isTerminal: boolean): LogOutput => {
  const starts = args[0] === "service" && args[1] === "start"
  return starts && isTerminal && !args.includes("--log") ? fileOutput(`${dataDirectory}/${logName}`) : stderrOutput
}
