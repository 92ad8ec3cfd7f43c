/**
 * Where CSI comes from, as the command line of `start` says it. Flags that contradict each other are refused, not ignored.
 */
import { Effect } from "effect"
import { InvalidCommand } from "./invalid-command.ts"

export type SourceOptions =
  | {
    readonly kind: "simulated"
    /** A file, or a name in `sim/scenarios`. */
    readonly scenario: string
    readonly seed: number | null
    readonly speed: number
  }
  | { readonly kind: "replay"; readonly files: ReadonlyArray<string>; readonly speed: number; readonly loop: boolean }
  | { readonly kind: "none" }

/** A source that this process plays by itself. */
export type PlayedSource = Exclude<SourceOptions, { readonly kind: "none" }>

export interface SourceFlags {
  readonly replay: ReadonlyArray<string>
  /** What follows the flags: further recordings. */
  readonly files: ReadonlyArray<string>
  readonly loop: boolean
  readonly speed: number
  readonly scenario: string | null
  readonly seed: number | null
  readonly source: "simulated" | "none" | null
}

/** What is simulated unless something else is named. */
const defaultScenario = "home"

const contradiction = ({ files, loop, replay, scenario, seed, source, speed }: SourceFlags): string | null => {
  if (replay.length === 0 && files.length > 0) return `"${files[0]}" follows no --replay.`
  if (replay.length > 0 && source !== null) return "--replay and --source exclude each other."
  if (replay.length > 0 && (seed !== null || scenario !== null)) {
    return "--seed and --scenario belong to a simulation, not to --replay."
  }
  if (replay.length === 0 && loop) return "--loop belongs to --replay."
  if (source === "none" && (scenario !== null || seed !== null || speed !== 1)) {
    return "--scenario, --seed and --speed belong to a source; --source is none."
  }
  return null
}

/** The source that the flags name. */
export const chooseSource = (flags: SourceFlags): Effect.Effect<SourceOptions, InvalidCommand> => {
  const { files, loop, replay, scenario, seed, source, speed } = flags
  const message = contradiction(flags)
  if (message !== null) return Effect.fail(new InvalidCommand({ message }))
  if (replay.length > 0) return Effect.succeed({ kind: "replay", files: [...replay, ...files], speed, loop })
  if (source === "none") return Effect.succeed({ kind: "none" })
  return Effect.succeed({ kind: "simulated", scenario: scenario ?? defaultScenario, seed, speed })
}
