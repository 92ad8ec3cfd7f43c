/**
 * Recordings through the real actors and the real store, on a test clock: what they say, and that they say it again.
 */
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { beforeAll, describe, expect, it } from "vitest"
import { noProgress, play } from "../../deploy/source/play.ts"
import { openReplay, planReplay } from "../../deploy/source/replay.ts"
import { type Ingest, makeIngest } from "../../gateways/ingest/ingest.ts"
import type { PoseFrame } from "../../protocols/domain/pose.ts"
import { defaultStartOptions } from "../../protocols/domain/system.ts"
import { decodeCsiBatch } from "../../protocols/grpc/csi-batch.ts"
import { decodePoseFrame } from "../../protocols/grpc/pose-frame.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { Session, sessionEntityId } from "../../protocols/messages/session.ts"
import { runActors } from "../harness/actors.ts"
import { embeddedDatabase } from "../harness/database.ts"
import { hasRecordings, recordingFile } from "../harness/recordings.ts"

const startMs = Date.UTC(2026, 0, 1)

/** Batches as the source encoded them, or as objects of this process. */
const given: Record<"bytes" | "objects", (ingest: Ingest) => Ingest> = {
  bytes: (ingest) => ingest,
  objects: (ingest) => (batch) =>
    ingest(batch instanceof Uint8Array ? Result.getOrThrow(decodeCsiBatch(batch)) : batch),
}

/** Replays a file on a fresh database, and returns every stored frame as its bytes. */
const replay = async (file: string, seed: string, as: keyof typeof given): Promise<ReadonlyArray<Uint8Array>> => {
  const database = await embeddedDatabase()
  const program = Effect.gen(function* () {
    const { environment, routerIds } = (yield* planReplay([file])).enrolments[0]!
    yield* (yield* Directory).enrol(environment, routerIds)
    const session = (yield* Session.client)(sessionEntityId)
    yield* session.Start({ ...defaultStartOptions, environmentId: environment.environmentId })
    yield* session.Status().pipe(Effect.repeat({ until: ({ status }) => status === "running" }))
    const source = yield* openReplay({ files: [file], startMs, loop: false })
    const next = Effect.tap(source.next, (hop) => hop === null ? Effect.void : TestClock.setTime(hop.endUs / 1000))
    yield* play({ next }, given[as](yield* makeIngest), { startMs, speed: null, progress: noProgress() })
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ body: Uint8Array }>`SELECT body FROM pose_frames ORDER BY frame_id`
    return rows.map(({ body }) => body)
  })
  const frames = await runActors({ location: database.location, startMs, seed }, Effect.scoped(program))
  await database.stop()
  return frames
}

const moving = "pulse_esp32/mov_01.csv"

describe.skipIf(!hasRecordings("pulse_esp32"))("a replayed recording", () => {
  let ofMoving: ReadonlyArray<Uint8Array>
  beforeAll(async () => void (ofMoving = await replay(recordingFile(moving), "seed", "bytes")), 60_000)

  it("gives byte-identical frames from one seed and clock, from encoded batches and from objects", async () => {
    const again = await replay(recordingFile(moving), "seed", "objects")
    expect(again.map((bytes) => Buffer.from(bytes).toString("hex"))).toEqual(
      ofMoving.map((bytes) => Buffer.from(bytes).toString("hex")),
    )
  }, 60_000)

  it.each([
    ["pulse_esp32/vacio_01.csv", false],
    [moving, true],
  ])("%s: present: %s, and no persons without a geometry", async (name, present) => {
    const bytes = name === moving ? ofMoving : await replay(recordingFile(name), "seed", "bytes")
    expect(bytes.length).toBeGreaterThan(550)
    const frames: ReadonlyArray<PoseFrame> = bytes.map(decodePoseFrame)
    const said = frames.filter((frame) => frame.presence.present !== null)
    expect(said.length).toBeGreaterThan(450)
    expect(said.filter((frame) => frame.presence.present !== present)).toEqual([])
    for (const frame of frames) {
      expect(frame.persons).toEqual([])
      expect(frame.personsReason).toContain("geometry")
      expect(frame.provenance.source).toBe("replay")
    }
  }, 60_000)
})
