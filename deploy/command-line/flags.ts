/**
 * Shared by several commands: flags, lazy loading of a command's module, and the end with the parent process.
 */
import { Effect, Option, Schema } from "effect"
import { Argument, Flag } from "effect/cli"
import { existsSync } from "node:fs"
import { resolve } from "node:path"

/** The parser's own check of existence gives its whole sentence as what it expects. */
const notThere = () => "a file that exists"

const isThere = (path: string): boolean => existsSync(path)

/** A flag with a file that exists. */
export const existingFile = (name: string) => Flag.File(name).pipe(Flag.filter(isThere, notThere))

/** An argument with a file that exists. */
export const existingFileArgument = (name: string) => Argument.File(name).pipe(Argument.filter(isThere, notThere))

const pemFile = (name: string, description: string) =>
  existingFile(name).pipe(Flag.withDescription(description), Flag.optional)

/** The files of the connection to the gRPC edge. */
export const channelFiles = {
  ca: pemFile("ca", "PEM file of the authority that signed the node's certificate; without it plain text is used"),
  cert: pemFile("cert", "PEM file of a client certificate, for a node that requests one"),
  key: pemFile("key", "PEM file of the key of --cert"),
}

export const filesOf = ({ ca, cert, key }: Readonly<Record<keyof typeof channelFiles, Option.Option<string>>>) => ({
  caFile: Option.getOrNull(ca),
  certFile: Option.getOrNull(cert),
  keyFile: Option.getOrNull(key),
})

/** A flag without a value, off without it. There is no `--no-` form, because the default never changes. */
export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false), Flag.withoutNegation)

/** A file, device or pipe; `-` is stdin and stays `-`, other paths become absolute. */
export const readable = (name: string, description: string) =>
  Argument.Path(name).pipe(
    Argument.map((path) => path === resolve("-") ? "-" : path),
    Argument.withDescription(description),
  )

export const whileStdin = toggle("while-stdin", "End when stdin closes, as it does when the parent process ends")

export const json = toggle("json", "Print one JSON object")

/** An http address of a service, without slashes at its end; empty if it is none. */
const serviceUrlOf = (text: string): Option.Option<string> => {
  const url = URL.parse(text)
  return url?.protocol === "http:" || url?.protocol === "https:" ? Option.some(text.replace(/\/+$/, "")) : Option.none()
}

export const serviceUrl = Flag.String("url").pipe(
  Flag.filterMap(serviceUrlOf, () => "an http or https URL, e.g. http://127.0.0.1:8000"),
  Flag.withDescription("URL of the service; signs in with WAVEPOSE_API_KEY, or WAVEPOSE_ADMIN_USERNAME and _PASSWORD"),
  Flag.withDefault("http://127.0.0.1:8000"),
)

export const Speed = Schema.Finite.check(Schema.isGreaterThan(0))
export const Seed = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const speed = Flag.Finite("speed").pipe(
  Flag.withSchema(Speed),
  Flag.withDescription("Event seconds per second; 1 is the source's own pace"),
  Flag.withDefault(1),
)
export const rate = Flag.Finite("rate").pipe(
  Flag.withSchema(Speed),
  Flag.withDescription("Packets per second of a .npz or .mat whose CSI has no times"),
  Flag.optional,
)
export const loop = toggle("loop", "Restart the replay at its end")
export const seed = Flag.Int("seed").pipe(
  Flag.withSchema(Seed),
  Flag.withDescription("Replaces the scenario's own seed"),
  Flag.optional,
)
export const to = Flag.String("to").pipe(
  Flag.withDescription("gRPC edge of a node, grpc://host:port; the API key is read from WAVEPOSE_API_KEY"),
  Flag.withDefault("grpc://127.0.0.1:50051"),
)

export const sites = (use: string) =>
  existingFile("site").pipe(
    Flag.withDescription(
      `JSON file with an environment, its geometry and its routers, or a list of them; ${use}; repeatable`,
    ),
    Flag.atLeast(0),
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
