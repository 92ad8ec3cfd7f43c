/**
 * Where CSI comes from, as the command line of `start` says it. Flags that contradict each other are refused, not ignored.
 */
import { Effect } from "effect"
import { InvalidCommand } from "./play-command.ts"

export type SourceOptions =
  | { readonly kind: "simulated"; readonly seed: number | null; readonly speed: number }
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
  readonly seed: number | null
  readonly source: "simulated" | "none" | null
}

const contradiction = ({ files, loop, replay, seed, source, speed }: SourceFlags): string | null => {
  if (replay.length === 0 && files.length > 0) return `"${files[0]}" follows no --replay.`
  if (replay.length > 0 && source !== null) return "--replay and --source exclude each other."
  if (replay.length > 0 && seed !== null) return "--seed belongs to the simulated room, not to --replay."
  if (replay.length === 0 && loop) return "--loop belongs to --replay."
  if (source === "none" && (seed !== null || speed !== 1)) {
    return "--seed and --speed belong to a source; --source is none."
  }
  return null
}

/** The source that the flags name. */
export const chooseSource = (flags: SourceFlags): Effect.Effect<SourceOptions, InvalidCommand> => {
  const { files, loop, replay, seed, source, speed } = flags
  const message = contradiction(flags)
  if (message !== null) return Effect.fail(new InvalidCommand({ message }))
  if (replay.length > 0) return Effect.succeed({ kind: "replay", files: [...replay, ...files], speed, loop })
  return Effect.succeed(source === "none" ? { kind: "none" } : { kind: "simulated", seed, speed })
}
