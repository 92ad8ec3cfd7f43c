/**
 * The source of CSI in the command line of `start`. Contradictory flags are rejected, not ignored.
 */
import { Effect } from "effect"
import { InvalidArguments } from "./invalid-command.ts"

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

/** A source that the service plays itself. */
export type PlayedSource = Exclude<SourceOptions, { readonly kind: "none" }>

export interface SourceFlags {
  readonly replay: ReadonlyArray<string>
  /** Arguments after the flags: further recordings. */
  readonly files: ReadonlyArray<string>
  readonly loop: boolean
  readonly speed: number
  readonly scenario: string | null
  readonly demo: Demo | null
  readonly seed: number | null
  readonly source: "simulated" | "none" | null
}

/** The default scenario: one room, so that every question has one answer. */
const defaultScenario = "living-room"

/** The scenarios of `--demo`, each with something to see within a minute. */
const demos = { fall: "falls", party: "four-persons", night: "night" } as const
type Demo = keyof typeof demos
export const demoNames: ReadonlyArray<Demo> = ["fall", "party", "night"]

const contradiction = ({ demo, files, loop, replay, scenario, seed, source, speed }: SourceFlags): string | null => {
  if (demo !== null && (replay.length > 0 || scenario !== null || source === "none")) {
    return "--demo selects a simulation itself. Omit --scenario, --replay and --source none with it."
  }
  if (replay.length === 0 && files.length > 0) return `"${files[0]}" follows no --replay.`
  if (replay.length > 0 && source !== null) return "--replay and --source exclude each other. Omit one of them."
  if (replay.length > 0 && (seed !== null || scenario !== null)) {
    return "--seed and --scenario are for a simulation. Omit them with --replay."
  }
  if (replay.length === 0 && loop) return "--loop is for --replay. Omit it, or add --replay."
  if (source === "none" && (scenario !== null || seed !== null || speed !== 1)) {
    return "--scenario, --seed and --speed are for a source. Omit them with --source none."
  }
  return null
}

/** The source that the flags name. */
export const chooseSource = (flags: SourceFlags): Effect.Effect<SourceOptions, InvalidArguments> => {
  const { demo, files, loop, replay, scenario, seed, source, speed } = flags
  const message = contradiction(flags)
  if (message !== null) return Effect.fail(new InvalidArguments({ message }))
  if (replay.length > 0) return Effect.succeed({ kind: "replay", files: [...replay, ...files], speed, loop })
  if (source === "none") return Effect.succeed({ kind: "none" })
  return Effect.succeed({
    kind: "simulated",
    scenario: demo === null ? scenario ?? defaultScenario : demos[demo],
    seed,
    speed,
  })
}
