/**
 * Shared by several commands: flags, lazy loading of a command's module, and the end with the parent process.
 */
import { Effect } from "effect"
import { Flag } from "effect/cli"

export const ca = Flag.File("ca", { mustExist: true }).pipe(
  Flag.withDescription("PEM file of the authority that signed the node's certificate; without it plain text is used"),
  Flag.optional,
)

export const whileStdin = Flag.Boolean("while-stdin").pipe(
  Flag.withDescription("End when stdin closes, as it does when the parent process ends"),
  Flag.withDefault(false),
)

export const json = Flag.Boolean("json").pipe(Flag.withDescription("Print one JSON object"), Flag.withDefault(false))

export const serviceUrl = Flag.String("url").pipe(
  Flag.withDescription("URL of the service; signs in with WAVEPOSE_API_KEY, or WAVEPOSE_ADMIN_USERNAME and _PASSWORD"),
  Flag.withDefault("http://127.0.0.1:8000"),
)

/** Runs the program to its end, or until stdin closes if `whileStdin`. */
export const untilEnd = <A, E, R>(whileStdin: boolean, program: Effect.Effect<A, E, R>): Effect.Effect<void, E, R> =>
  whileStdin
    ? Effect.raceFirst(
      Effect.asVoid(program),
      Effect.callback<void>((resume) => void process.stdin.resume().once("end", () => resume(Effect.void))),
    )
    : Effect.asVoid(program)

/** Loads the module of a command. A module that does not load is a defect. */
export const loaded = <A>(load: () => Promise<A>): Effect.Effect<A> => Effect.promise(load)
