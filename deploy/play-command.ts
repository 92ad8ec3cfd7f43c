/**
 * `wavepose sim run`, `replay` and `serial`: a source in a process of its own, which sends through the gRPC door like a
 * router would.
 */
import { Clock, Effect, Redacted, Schema } from "effect"
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import { decodeScenario, InvalidScenario, type Scenario } from "../sim/scenario.ts"
import { connectIngest } from "./source/ingest-client.ts"
import { type HopSource, noProgress, play, type Progress } from "./source/play.ts"
import { openReplay } from "./source/replay.ts"
import { runSerial } from "./source/serial.ts"
import { openSimulation } from "./source/simulate.ts"

/** A command line that cannot be carried out; the message says what to change. */
export class InvalidCommand
  extends Schema.TaggedError<InvalidCommand>()("InvalidCommand", { message: Schema.String }) {}

/** The scenario of a file, or of a name in `sim/scenarios`. */
export const loadScenario = Effect.fnUntraced(function* (
  nameOrFile: string,
): Effect.fn.Return<Scenario, InvalidCommand | InvalidScenario> {
  const bundled = fileURLToPath(new URL(`../sim/scenarios/${basename(nameOrFile, ".json")}.json`, import.meta.url))
  const file = existsSync(nameOrFile) ? nameOrFile : bundled
  const text = yield* Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: () =>
      new InvalidCommand({ message: `There is no scenario "${nameOrFile}", neither as a file nor in sim/scenarios.` }),
  })
  const json = yield* Effect.try({
    try: () => JSON.parse(text) as unknown,
    catch: (cause) => new InvalidCommand({ message: `${file} is not JSON: ${cause}` }),
  })
  return yield* decodeScenario(json)
})

/** Where a source sends. */
export interface Destination {
  /** `grpc://host:port`. */
  readonly to: string
  /** Certificate of the authority that signed the server's; null: plain text. */
  readonly caFile: string | null
}

/** Connects to `grpc://host:port` with the key of the environment. */
const connect = Effect.fnUntraced(function* ({ caFile, to }: Destination) {
  const address = /^(?:grpc:\/\/)?([^/]+:\d+)\/?$/.exec(to)?.[1]
  if (address === undefined) {
    return yield* new InvalidCommand({ message: `--to is "${to}"; it must be grpc://host:port.` })
  }
  const key = process.env.WAVEPOSE_API_KEY
  if (key === undefined || key === "") {
    return yield* new InvalidCommand({
      message: "Set WAVEPOSE_API_KEY to an API key of role operator (POST /api/v1/auth/api-keys makes one).",
    })
  }
  const rootCertPem = caFile === null ? null : yield* Effect.tryPromise({
    try: () => readFile(caFile, "utf8"),
    catch: (cause) => new InvalidCommand({ message: `--ca cannot be read: ${cause}` }),
  })
  return yield* connectIngest({ address, apiKey: Redacted.make(key), rootCertPem })
})

/** Logs how far a source is; the counts are read when it runs. */
const report = (progress: Progress) => Effect.suspend(() => Effect.logInfo("source", { ...progress }))

const run = Effect.fnUntraced(function* <E>(
  source: HopSource<E>,
  startMs: number,
  options: Destination & {
    readonly speed: number
  },
) {
  const send = yield* connect(options)
  const progress = noProgress()
  yield* report(progress).pipe(Effect.delay("30 seconds"), Effect.forever, Effect.forkScoped)
  yield* play(source, send, { startMs, speed: options.speed, progress })
  yield* report(progress)
})

/** Time of the next whole hop, so that a source's hops are the service's hops. */
const nextHopMs = Effect.map(Clock.currentTimeMillis, (nowMs) => Math.ceil(nowMs / 100) * 100)

export const playSimulation = Effect.fnUntraced(function* (
  options: {
    readonly scenario: string
    readonly seed: number | null
    readonly speed: number
  } & Destination,
) {
  const scenario = yield* loadScenario(options.scenario)
  const startMs = yield* nextHopMs
  yield* run(openSimulation(scenario, { startMs, seed: options.seed, hops: null }), startMs, options)
}, Effect.scoped)

export const playReplay = Effect.fnUntraced(function* (
  options: {
    readonly files: ReadonlyArray<string>
    readonly loop: boolean
    readonly speed: number
  } & Destination,
) {
  const startMs = yield* nextHopMs
  const replay = yield* openReplay({ files: options.files, startMs, loop: options.loop })
  yield* run(replay, startMs, options)
  yield* Effect.logInfo("the recordings have ended", { faults: replay.faults() })
}, Effect.scoped)

export const playSerial = Effect.fnUntraced(function* (
  options: {
    readonly path: string
    readonly routerId: string
  } & Destination,
) {
  const send = yield* connect(options)
  const progress = noProgress()
  const losses = { faults: 0, overtakenFrames: 0 }
  const reportAll = Effect.suspend(() => Effect.logInfo("serial", { ...progress, ...losses }))
  yield* reportAll.pipe(Effect.delay("30 seconds"), Effect.forever, Effect.forkScoped)
  yield* Effect.ensuring(runSerial(options, send, progress, losses), reportAll)
}, Effect.scoped)
