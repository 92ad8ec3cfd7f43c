/** The file of the log: bounded, beside a terminal that shows warnings and errors, and replaced by stderr if it cannot be written. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { chooseLogOutput, fileOutput } from "../../../deploy/settings/log-output.ts"

const folder = mkdtempSync(join(tmpdir(), "wavepose-log-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const time = "2026-01-01T00:00:00.000Z"

describe("a log in a file", () => {
  it("creates its folder with the first line, and shows warnings and errors on the terminal too", () => {
    const file = join(folder, "new", "wavepose.log")
    const shown: Array<string> = []
    const { write } = fileOutput(file, { terminal: (text) => void shown.push(text) })
    expect(existsSync(join(folder, "new"))).toBe(false)
    const quiet = [`${time} INFO  service ready`, '{"time":"t","level":"info","message":"\\"level\\":\\"error\\""}']
    const urgent = [`${time} WARN  source late`, `${time} ERROR mqtt gone`, '{"time":"t","level":"error"}']
    for (const line of [...quiet, ...urgent]) write(line)
    expect(readFileSync(file, "utf8")).toBe([...quiet, ...urgent, ""].join("\n"))
    expect(shown).toEqual(urgent.map((line) => `${line}\n`))
  })

  it("continues an earlier file, and keeps one full file beside the current one", () => {
    const file = join(folder, "full.log")
    writeFileSync(file, "old line\n")
    const { write } = fileOutput(file, { bytesMax: 20 })
    for (const line of ["line 1", "line 2", "line 3", "line 4"]) write(line)
    expect(readFileSync(`${file}.1`, "utf8")).toBe("line 2\nline 3\n")
    expect(readFileSync(file, "utf8")).toBe("line 4\n")
  })

  it("goes on at the terminal if the file cannot be written", () => {
    writeFileSync(join(folder, "a-file"), "")
    const shown: Array<string> = []
    const { write } = fileOutput(join(folder, "a-file", "wavepose.log"), { terminal: (text) => void shown.push(text) })
    write("first")
    write("second")
    expect(shown).toHaveLength(2)
    expect(shown[0]).toMatch(/^wavepose: the log cannot be written to .*It continues here\.\nfirst\n$/)
    expect(shown[1]).toBe("second\n")
  })
})

describe("the choice of the log's output", () => {
  it.each([
    { args: ["service", "start"], terminal: true, file: true },
    { args: ["service", "start", "--demo", "fall"], terminal: true, file: true },
    { args: ["service", "start", "--log"], terminal: true, file: false },
    { args: ["service", "start"], terminal: false, file: false },
    { args: ["service", "doctor"], terminal: true, file: false },
  ])("$args on a terminal: $terminal", ({ args, file, terminal }) => {
    expect(chooseLogOutput(args, folder, terminal).file).toBe(file ? join(folder, "wavepose.log") : null)
  })
})
