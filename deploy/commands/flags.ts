/**
 * What several commands have: flags, how a command gets its module, and how it ends with its parent.
 */
import { Effect } from "effect"
import { Flag } from "effect/cli"

export const ca = Flag.File("ca", { mustExist: true }).pipe(
  Flag.withDescription("Certificate of the authority that signed the node's; without it plain text is spoken"),
  Flag.optional,
)

export const whileStdin = Flag.Boolean("while-stdin").pipe(
  Flag.withDescription("End when stdin is closed, as it is when the parent process dies"),
  Flag.withDefault(false),
)

export const json = Flag.Boolean("json").pipe(Flag.withDescription("Print one JSON object"), Flag.withDefault(false))

export const serviceUrl = Flag.String("url").pipe(
  Flag.withDescription("The service; it is asked with WAVEPOSE_API_KEY, or WAVEPOSE_ADMIN_USERNAME and _PASSWORD"),
  Flag.withDefault("http://127.0.0.1:8000"),
)

/** Runs until its own end, or until stdin ends where that is asked for. */
export const untilEnd = <A, E, R>(whileStdin: boolean, program: Effect.Effect<A, E, R>): Effect.Effect<void, E, R> =>
  whileStdin
    ? Effect.raceFirst(
      Effect.asVoid(program),
      Effect.callback<void>((resume) => void process.stdin.resume().once("end", () => resume(Effect.void))),
    )
    : Effect.asVoid(program)

/** The module that does what a command says; one that does not load is a defect. */
export const loaded = <A>(load: () => Promise<A>): Effect.Effect<A> => Effect.promise(load)
