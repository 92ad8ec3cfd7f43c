/** The documentation names only commands and options that exist. */
import { readdirSync, readFileSync } from "node:fs"
import { Completions } from "effect/cli"
import { expect, it } from "vitest"
import { root } from "../../../deploy/command-line/root.ts"
import { expandShortcut } from "../../../deploy/command-line/shortcuts.mjs"

const described: Completions.CommandDescriptor = Completions.fromCommand(root)
const repository = new URL("../../../", import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, repository), "utf8")

const pages = [
  ...readdirSync(new URL("docs/", repository)).filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`),
  "README.md",
  "CONTRIBUTING.md",
  "deploy/README.md",
  "deploy/firmware/README.md",
  "gateways/README.md",
  "sim/README.md",
  "protocols/clients/python/README.md",
  "protocols/clients/typescript/README.md",
]

/** Commands of a page, to the end of their line or code: `npx wavepose …`, and `npm start -- …` as `start …`. */
const commandsOf = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  [...text.replaceAll(/ \\\n\s*/g, " ").matchAll(/(?:npx (?:--prefix \S+ )?wavepose|(npm start --)) ([^`#|);\n]+)/g)]
    .map(([, start, rest]) => [...start === undefined ? [] : ["start"], ...rest!.trim().split(/\s+/)])

/** What is wrong with a command: a word that is no command or an option that it does not have. Placeholders are in capitals. */
const faultOf = (words: ReadonlyArray<string>): string | null => {
  let at = described
  for (const word of expandShortcut(words)) {
    if (/^["$A-Z…]/.test(word) && at.subcommands.length > 0) return null
    if (word.startsWith("--")) {
      const name = word.slice(2).split("=")[0]
      if (name !== "help" && at.flags.every((flag) => flag.name !== name)) return `${words.join(" ")}: no --${name}`
      continue
    }
    const next = at.subcommands.find(({ name }) => name === word)
    if (next !== undefined) at = next
    else if (at.subcommands.length > 0 && /^[a-z]/.test(word)) return `${words.join(" ")}: no ${word}`
  }
  return null
}

it.each(pages)("%s", (page) => {
  expect(commandsOf(read(page)).flatMap((words) => faultOf(words) ?? [])).toEqual([])
})

it("finds the commands of a page, and an option or a word that does not exist", () => {
  const commands = commandsOf(
    "`npx wavepose record a.wavepose --service` and\n    npm start -- --demo fall  # comment\n",
  )
  expect(commands).toEqual([["record", "a.wavepose", "--service"], ["start", "--demo", "fall"]])
  expect(commands.map(faultOf)).toEqual([null, null])
  expect(faultOf(["start", "--dem"])).toContain("no --dem")
  expect(faultOf(["node", "frob"])).toContain("no frob")
})

it("every npm script that the documentation names exists", () => {
  const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: Readonly<Record<string, string>> }
  const named = pages.flatMap((page) => [...read(page).matchAll(/npm run (?:-s )?([a-z:]+)/g)].map(([, name]) => name!))
  expect(named.length).toBeGreaterThan(20)
  expect([...new Set(named)].filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
})
