/**
 * Store: how fast frames are appended, beside psql's binary COPY of the same rows into the same table and beside one JSONB row a frame.
 *
 *     npm run bench:store -- [frames] [rounds] [persons]
 *
 * "append" hands `frames` frames of four environments to the frame store as its actors do, up to 1,024 at a time, and waits for every
 * answer: head, partition, sums of minutes and all. "copy" is psql's `\copy` of a file with exactly those rows, as psql itself
 * times it, without its start and without heads and sums. "jsonb" inserts the frame's JSON as one row a statement, each with its own commit.
 * Tables are emptied before each, outside of the measured time; the server is PostgreSQL as the tests start it, with its defaults.
 * Before anything is measured, what was appended is compared with what was given. Not measured: PGlite, encryption, the estimator's own
 * encoding. Writes `results/store.json`.
 */
import "../../actors/runtime/deno-fibers.ts"
import { Effect, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FrameStore } from "../../actors/store/frames/frames.ts"
import { layerStores } from "../../deploy/composition/service.ts"
import type { ArchivedFrame } from "../../protocols/messages/archive.ts"
import { archivedOf, testFrame, testPerson } from "../harness/frames.ts"
import { startPostgres } from "../harness/postgres.ts"
import {
  type Contender,
  interleave,
  machine,
  type Measured,
  rounded,
  roundedSpread,
  speedOver,
  spreadOf,
  writeResults,
} from "./harness.ts"

const frames = Number(process.argv[2] ?? 8_192)
const rounds = Number(process.argv[3] ?? 5)
const persons = Number(process.argv[4] ?? 1)
const environments = 4
const inFlight = 1_024
/** A commit a row is slow: a part of the frames says how slow. */
const jsonRows = 256
const targets = { overCopy: 0.8, overJsonb: 8 }

const psqlPath = (): string | undefined => {
  const debian = "/usr/lib/postgresql"
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  return versions.map((version) => join(debian, version, "bin", "psql")).find(existsSync)
}

const psqlFile = psqlPath()
const postgres = psqlFile === undefined ? null : await startPostgres()
if (psqlFile === undefined || postgres === null) {
  console.log(
    "bench store: not run, because there is no PostgreSQL with psql here (Debian: apt-get install postgresql)",
  )
  process.exit(0)
}

const psql = (...commands: ReadonlyArray<string>): string =>
  execFileSync(psqlFile, ["-X", "-q", "-v", "ON_ERROR_STOP=1", ...commands.flatMap((c) => ["-c", c]), postgres.url], {
    encoding: "utf8",
  })

/** Frames of today, a tenth of a second apart in each environment. */
const startMs = Math.floor(Date.now() / 86_400_000) * 86_400_000
const made = Array.from({ length: frames }, (_, i) => {
  const frameId = 1 + Math.floor(i / environments)
  const people = Array.from({ length: persons }, (_, k) => testPerson(k + 1, "walking", i * persons + k))
  const frame = testFrame(`room-${i % environments}`, frameId, startMs + 100 * frameId, { persons: people })
  return {
    environmentId: frame.environmentId,
    frame: archivedOf(frame),
    json: i < jsonRows ? JSON.stringify(frame) : "",
  }
})
/** All bodies in one piece of memory: thousands of pieces, which no service holds, would keep the garbage collector busy. */
const memory = Buffer.concat(made.map(({ frame }) => frame.body))
let begin = 0
const given = made.map((one) => {
  const body = memory.subarray(begin, begin += one.frame.body.length)
  return { ...one, frame: { ...one.frame, body } }
})
made.length = 0

const runtime = ManagedRuntime.make(layerStores({ url: postgres.url }))
const folder = mkdtempSync(join(tmpdir(), "wavepose-bench-store-"))
const file = join(folder, "frames.copy")

const empty = () => psql("TRUNCATE pose_frames, frame_heads, pose_minutes, json_frames", "CHECKPOINT")

const timed = async (calls: number, run: () => Promise<unknown>): Promise<Measured> => {
  const cpuBefore = process.cpuUsage()
  const began = performance.now()
  await run()
  const wallMs = performance.now() - began
  const { system, user } = process.cpuUsage(cpuBefore)
  return { calls, wallMs, cpuMs: (system + user) / 1000 }
}

const appendAll = Effect.gen(function* () {
  const store = yield* FrameStore
  const answers = yield* Effect.forEach(given, ({ environmentId, frame }) => store.append(environmentId, frame), {
    concurrency: inFlight,
  })
  if (!answers.every((stored) => stored)) throw new Error("a frame was not stored")
})

const insertJson = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const { environmentId, frame, json } of given.slice(0, jsonRows)) {
    yield* sql`INSERT INTO json_frames VALUES (${environmentId}, ${frame.frameId}, to_timestamp(${
      frame.timestampMs / 1000
    }::float8), ${json}::text::jsonb)`
  }
})

const contenders: ReadonlyArray<Contender> = [
  {
    name: "append",
    measure: () => (empty(), timed(frames, () => runtime.runPromise(appendAll))),
  },
  {
    name: "copy",
    measure: () => {
      empty()
      const said = psql("\\timing on", `\\copy pose_frames FROM '${file}' WITH (FORMAT binary)`)
      const wallMs = Number(/Time: ([\d.]+) ms/.exec(said)?.[1])
      if (!(wallMs > 0)) throw new Error(`psql did not say how long it took: ${said}`)
      return { calls: frames, wallMs, cpuMs: 0 }
    },
  },
  {
    name: "jsonb",
    measure: () => (empty(), timed(Math.min(jsonRows, frames), () => runtime.runPromise(insertJson))),
  },
]

/** What was appended is what was given, row by row, before it is copied out for COPY. */
const check = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ environment_id: string; id: number; body: Uint8Array }>`
    SELECT environment_id, frame_id::int4 AS id, body FROM pose_frames ORDER BY ts, environment_id`
  const expected: ReadonlyArray<{ environmentId: string; frame: ArchivedFrame }> = given
  const same = rows.length === frames &&
    rows.every((row, i) =>
      row.environment_id === expected[i]!.environmentId && row.id === expected[i]!.frame.frameId &&
      Buffer.compare(row.body, expected[i]!.frame.body) === 0
    )
  if (!same) throw new Error("what is stored is not what was given")
})

await runtime.runPromise(Effect.void)
psql(
  `CREATE TABLE json_frames (environment_id text, frame_id bigint, ts timestamptz, frame jsonb,
    PRIMARY KEY (environment_id, frame_id))`,
)
empty()
await runtime.runPromise(appendAll)
await runtime.runPromise(check)
psql(`\\copy (SELECT * FROM pose_frames ORDER BY ts, environment_id) TO '${file}' WITH (FORMAT binary)`)

const { wallMs } = await interleave(contenders, { rounds, budgetMs: 0 })
const perSecond = (name: string) => roundedSpread(spreadOf(wallMs.get(name)!.map((ms) => 1000 / ms)))
const results = {
  machine,
  frames,
  persons,
  environments,
  rounds,
  bodyBytes: rounded(given.reduce((total, { frame }) => total + frame.body.length, 0) / frames),
  framesPerSecond: { append: perSecond("append"), copy: perSecond("copy"), jsonb: perSecond("jsonb") },
  overCopy: roundedSpread(speedOver(wallMs, "append", "copy")),
  overJsonb: roundedSpread(speedOver(wallMs, "append", "jsonb")),
  targets,
}
console.log(JSON.stringify(results, null, 2))
writeResults("store", results)
await runtime.dispose()
await postgres.stop()
rmSync(folder, { recursive: true, force: true })
