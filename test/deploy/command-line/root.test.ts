/** The command line as a whole: one grammar, help on one screen, JSON everywhere, completion, exit codes. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Completions } from "effect/cli"
import { describe, expect, it } from "vitest"
import { exitCodes } from "../../../deploy/command-line/exit-status.ts"
import { commandsOf, completionScript, helpText } from "../../../deploy/command-line/help.ts"
import { root } from "../../../deploy/command-line/root.ts"
import { expandShortcut, shortcuts } from "../../../deploy/command-line/shortcuts.mjs"
import { runCommand } from "../../harness/command.ts"

type Described = Completions.CommandDescriptor

/** All commands without subcommands, by their words. */
const leaves = (at: Described, path: ReadonlyArray<string> = []): ReadonlyArray<readonly [string, Described]> =>
  at.subcommands.length === 0
    ? [[path.join(" "), at]]
    : at.subcommands.flatMap((one) => leaves(one, [...path, one.name]))

const described = Completions.fromCommand(root)
const verbs = leaves(described)

/** Commands that run until they are stopped, or whose output is for another program. */
const withoutJson = [
  "node serial",
  "node sign",
  "recording replay",
  "sim site",
  "edge bridge",
  "edge mqtt",
  "completion",
]

describe("the grammar", () => {
  it("has a noun and a verb for every command but help and completion", () => {
    const short = verbs.map(([words]) => words).filter((words) => words.split(" ").length < 2)
    expect(short).toEqual(["help", "completion"])
  })

  it("offers --json on every command that prints a result", () => {
    const missing = verbs.filter(([, { flags }]) => !flags.some(({ name }) => name === "json"))
    expect(missing.map(([words]) => words)).toEqual(withoutJson)
  })

  it("describes every command, option and argument", () => {
    const mute = verbs.flatMap(([words, { description, flags }]) => [
      ...(description ? [] : [words]),
      ...flags.filter((flag) => !flag.description).map(({ name }) => `${words} --${name}`),
    ])
    expect(mute).toEqual([])
  })

  it("has shortcuts that lead to commands", () => {
    const nouns = commandsOf(root).nouns
    for (const [name, [noun, verb]] of Object.entries(shortcuts)) {
      const verbs = nouns.find((one) => one.noun === noun)?.verbs.map(({ verb }) => verb)
      expect(verbs, name).toBeDefined()
      if (verb !== undefined) expect(verbs, name).toContain(verb)
      expect(nouns.map(({ noun }) => noun), `${name} hides a noun`).not.toContain(name)
    }
  })

  it.each([
    [[], ["service", "start"]],
    [["start", "--open"], ["service", "start", "--open"]],
    [["nodes", "list"], ["node", "list"]],
    [["node", "list"], ["node", "list"]],
    [["--help"], ["help"]],
    [["help", "--json"], ["help", "--json"]],
    [["help", "export", "frames"], ["data", "export", "frames", "--help"]],
    [["toString"], ["toString"]],
  ])("reads %j as %j", (given, expected) => expect(expandShortcut(given)).toEqual(expected))
})

describe("help", () => {
  it("fits on one screen and names every noun, verb and exit code", () => {
    const text = helpText(root)
    const lines = text.split("\n")
    expect(lines.length).toBeLessThanOrEqual(24)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
    for (const { noun, verbs } of commandsOf(root).nouns.filter(({ verbs }) => verbs.length > 0)) {
      expect(text).toMatch(new RegExp(`^  ${noun} +${verbs.map(({ verb }) => verb).join("\\s+")}$`, "m"))
    }
    for (const code of Object.keys(exitCodes)) expect(text).toMatch(new RegExp(`\\b${code} `))
  })
})

describe("completion", () => {
  it.each(["bash", "zsh", "fish"] as const)("names verbs and options of %s", (shell) => {
    const script = completionScript(root, shell)
    for (const word of ["reset-password", "keep-environments", "start"]) expect(script).toContain(word)
  })

  it("completes verbs, shortcuts and options in bash", () => {
    const complete = (...words: ReadonlyArray<string>) =>
      execFileSync("bash", [
        "--norc",
        "-c",
        `${completionScript(root, "bash")}
complete_with=$(complete -p wavepose | sed 's/.*-F \\([^ ]*\\).*/\\1/')
COMP_WORDS=(wavepose ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}
COMP_LINE="\${COMP_WORDS[*]}"
"$complete_with" wavepose '${words.at(-1)}' ''; printf '%s\\n' "\${COMPREPLY[@]}"`,
      ], { encoding: "utf8" })
        .trim().split("\n").map((word) => word.trim())
    expect(complete("node", "enr")).toEqual(["enrol"])
    expect(complete("sta")).toEqual(["start"])
    expect(complete("service", "start", "--keep")).toContain("--keep-environments")
  })
})

describe("a process of wavepose", () => {
  it("ends with the documented exit codes", async () => {
    const silent = ["node", "list", "--url", "http://127.0.0.1:9"]
    const [help, wrongUrl, missing, unknown, reason, ending, refused, failed] = await Promise.all([
      runCommand(["help"]),
      runCommand(["node", "list", "--url", "localhost:8000"]),
      runCommand(["start", "--site", "/does/not/exist.json"]),
      runCommand(["node", "frob"]),
      runCommand(["node", "release", "node-1", "--reason", "repaired"]),
      runCommand(["export", "frames", "out.txt"]),
      runCommand(silent, { env: { WAVEPOSE_API_KEY: "wp_any" } }),
      runCommand(["inspect", "/does/not/exist"]),
    ])
    expect(help).toMatchObject({ code: 0, stderr: "" })
    expect(wrongUrl).toMatchObject({ code: 64, stderr: expect.stringContaining("an http or https URL") })
    const missingText = `Invalid value for flag --site: "/does/not/exist.json". Expected: a file that exists`
    expect(missing).toMatchObject({ code: 64, stderr: expect.stringContaining(missingText) })
    expect(unknown.code).toBe(64)
    expect(reason).toMatchObject({ code: 64, stderr: expect.stringContaining("--reason") })
    expect(ending).toMatchObject({ code: 64, stderr: expect.stringMatching(/"[^"]*out\.txt" must end with \.csv/) })
    expect(refused.code).toBe(69)
    expect(refused.stderr).toMatch(/No service answers at http:\/\/127\.0\.0\.1:9: .+ Start one with `wavepose start`/)
    expect(failed.code).toBe(1)
  })

  it("has failed when a signal ends it before it has its result", async () => {
    const folder = mkdtempSync(join(tmpdir(), "wavepose-ended-"))
    const simulate = (
      name: string,
    ) => ["sim", "run", "living-room", "--to", join(folder, name), "--seconds", "100", "--speed", "20"]
    const ended = await Promise.all([
      runCommand(simulate("a.wavepose"), { signal: "SIGTERM" }),
      runCommand(simulate("b.wavepose"), { signal: "SIGINT" }),
      runCommand(["record", join(folder, "c.wavepose"), "--listen", "127.0.0.1:0"], { signal: "SIGTERM" }),
    ])
    rmSync(folder, { recursive: true })
    expect(ended.map(({ code }) => code)).toEqual([143, 130, 0])
  })

  it("reports a failed start as an entry of the log where that is JSON", async () => {
    const env = { WAVEPOSE_LOG_FORMAT: "json", WAVEPOSE_PORT: "many" }
    const { code, stderr } = await runCommand(["start", "--source", "none"], { env })
    expect(code).toBe(1)
    expect(JSON.parse(stderr)).toMatchObject({
      level: "fatal",
      component: "service",
      message: expect.stringContaining("WAVEPOSE_PORT cannot be read"),
    })
  })
})
