/**
 * `wavepose help` and `wavepose completion`: made from the tree of commands, so that they name what exists.
 */
import { Console } from "effect"
import { Argument, Command, Completions } from "effect/cli"
import { version } from "../composition/version.ts"
import { exitCodes } from "./exit-status.ts"
import { json } from "./flags.ts"
import { shortcuts } from "./shortcuts.mjs"

type Tree = Command.Command.Any

const subcommandsOf = (tree: Tree): ReadonlyArray<Tree> => tree.subcommands.flatMap(({ commands }) => commands)

/** Nouns, verbs and shortcuts as data. */
export const commandsOf = (tree: Tree) => ({
  nouns: subcommandsOf(tree).map((noun) => ({
    noun: noun.name,
    description: noun.description ?? "",
    verbs: subcommandsOf(noun).map(({ description, name }) => ({ verb: name, description: description ?? "" })),
  })),
  shortcuts,
  exitCodes,
})

const columns = 80

/** Words in lines of at most `columns` characters. */
const wrapped = (head: string, words: ReadonlyArray<string>): string => {
  const lines = [head]
  for (const word of words) {
    if (`${lines.at(-1)} ${word}`.length > columns) lines.push(" ".repeat(head.length))
    lines.push(`${lines.pop()} ${word}`)
  }
  return lines.join("\n")
}

/** The help of all commands: at most 24 lines of 80 characters. */
export const helpText = (tree: Tree): string => {
  const { nouns } = commandsOf(tree)
  const verbsOf = (noun: (typeof nouns)[number]) => noun.verbs.map(({ verb }) => verb).join(" ")
  const everyday = Object.entries(shortcuts).flatMap(([name, path]) => path.length === 2 ? [name] : [])
  return [
    `wavepose ${version}: poses of persons from Wi-Fi channel state information`,
    "Usage: wavepose NOUN VERB [OPTIONS]      wavepose help NOUN VERB",
    "",
    ...nouns.map((noun) => wrapped(`  ${noun.noun.padEnd(10)}`, verbsOf(noun).split(" "))),
    "",
    wrapped("Shortcuts:", everyday.map((name, i) => i + 1 < everyday.length ? `${name},` : name)),
    "Shell completion: wavepose completion bash|zsh|fish",
    "Commands that print accept --json. Commands for a running service accept --url",
    "and sign in with WAVEPOSE_API_KEY, or WAVEPOSE_ADMIN_PASSWORD.",
    wrapped("Exit codes:", Object.entries(exitCodes).map(([code, meaning]) => `${code} ${meaning};`)),
  ].join("\n").replace(/;$/, ".")
}

export const helpCommand = (tree: Tree) =>
  Command.make(
    "help",
    { json },
    ({ json }) => Console.log(json ? JSON.stringify(commandsOf(tree)) : helpText(tree)),
  ).pipe(Command.withDescription("Show all commands on one screen; help NOUN VERB shows one"))

/** The tree with the shortcuts as commands of their own. */
const completed = (tree: Tree): Completions.CommandDescriptor => {
  const whole = Completions.fromCommand(tree)
  const find = (path: ReadonlyArray<string>) =>
    path.reduce<Completions.CommandDescriptor | undefined>(
      (at, name) => at?.subcommands.find((one) => one.name === name),
      whole,
    )
  const short = Object.entries(shortcuts).flatMap(([name, path]) => {
    const target = find(path)
    return target === undefined ? [] : [{ ...target, name }]
  })
  return { ...whole, subcommands: [...whole.subcommands, ...short] }
}

/** The script that completes `wavepose` in a shell. */
export const completionScript = (tree: Tree, shell: Completions.Shell): string =>
  Completions.generate("wavepose", shell, completed(tree)).replaceAll("wavepose --completions", "wavepose completion")

export const completionCommand = (tree: Tree) =>
  Command.make(
    "completion",
    { shell: Argument.Literals("shell", ["bash", "zsh", "fish"]) },
    ({ shell }) => Console.log(completionScript(tree, shell)),
  ).pipe(
    Command.withDescription("Print the completion script of a shell, e.g. source <(wavepose completion bash)"),
  )
