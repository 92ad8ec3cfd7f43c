/**
 * A real recording arrives as datagrams over a real socket, is recorded from the running routers, and is replayed: the answers are the
 * same. On a test clock, and a database each for the two runs.
 */
import { Effect, Layer, Result, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { createSocket } from "node:dgram"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { layerPrivacyClasses } from "../../deploy/settings/edge-settings.ts"
import { openLiveRecording } from "../../deploy/source/live-recording.ts"
import { noProgress, play } from "../../deploy/source/play.ts"
import { openRecording } from "../../deploy/source/recording.ts"
import { hopUs } from "../../core/observation/observation.ts"
import { DatagramListener } from "../../gateways/datagrams/listener.ts"
import { makeRecordCsi } from "../../gateways/grpc/record-csi.ts"
import { makeIngest } from "../../gateways/ingest/ingest.ts"
import { defaultPrivacy } from "../../protocols/domain/configuration.ts"
import type { PoseFrame } from "../../protocols/domain/pose.ts"
import type { Environment } from "../../protocols/domain/site.ts"
import { defaultStartOptions } from "../../protocols/domain/system.ts"
import { codecOf } from "../../protocols/grpc/contract/transcode.ts"
import { decodeCsiBatch } from "../../protocols/grpc/csi-batch.ts"
import { decodePoseFrame } from "../../protocols/grpc/pose-frame.ts"
import { readRecordedCsi } from "../../protocols/grpc/recorded-csi.ts"
import { Session, sessionEntityId } from "../../protocols/messages/session.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { until } from "../gateways/cluster.ts"
import { runActors } from "../harness/actors.ts"
import { nodeDatagram, recordedFrames } from "../harness/boards.ts"
import { embeddedDatabase } from "../harness/database.ts"
import { layerAdmission } from "../harness/node-identities.ts"
import { hasRecordings } from "../harness/recordings.ts"

const folder = mkdtempSync(join(tmpdir(), "wavepose-record-csi-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const startMs = Date.UTC(2026, 0, 1)
/** Packets of about 100 a second. */
const packets = 350
const kitchen: Environment = { environmentId: "kitchen", name: "kitchen", geometry: null }
/** The listener delivers what it received this often. */
const listenerBatchMs = 50
const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
const admin = { kind: "user", id: "1", name: "admin", role: "admin" } as const

const startSystem = Effect.fnUntraced(function* (environment: Environment, routerIds: ReadonlyArray<string>) {
  yield* (yield* Directory).enrol(environment, routerIds)
  const session = (yield* Session.client)(sessionEntityId)
  const privacy = { ...defaultPrivacy, csiRecordingEnabled: true }
  yield* session.Start({ ...defaultStartOptions, environmentId: environment.environmentId, privacy })
  yield* session.Status().pipe(Effect.repeat({ until: ({ status }) => status === "running" }))
})

const storedFrames = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ body: Uint8Array }>`SELECT body FROM pose_frames ORDER BY frame_id`
  return rows.map(({ body }): PoseFrame => decodePoseFrame(body))
})

/** The frames of a program on a database of its own. */
const run = async (program: Parameters<typeof runActors<ReadonlyArray<PoseFrame>, unknown>>[1]) => {
  const database = await embeddedDatabase()
  const frames = await runActors({ location: database.location, startMs, seed: "seed" }, program)
  await database.stop()
  return frames
}

type Counts = Effect.Success<DatagramListener["Service"]["ruview"]["counts"]>

/** The packets of a capture, each sent at its time; answers the stored frames. */
const live = (name: string, file: string) =>
  Effect.gen(function* () {
    yield* startSystem(kitchen, ["node-1"])
    const { counts, port } = (yield* DatagramListener).ruview
    const recording = yield* openLiveRecording({
      file,
      environment: kitchen,
      label: null,
      note: null,
      startUs: startMs * 1000,
    })
    let [opened, recorded] = [false, 0]
    const record = yield* makeRecordCsi
    const request = codecOf("RecordCsiRequest").encode({})
    yield* Effect.forkScoped(Stream.runForEach(record(request, admin), (bytes) =>
      Effect.gen(function* () {
        const message = Result.getOrThrow(readRecordedCsi(bytes))
        expect(message).toMatchObject({ lostBatches: 0, interruptions: 0 })
        if (message.batch === null) return void (opened = true)
        const batch = Result.getOrThrow(decodeCsiBatch(message.batch))
        yield* recording.write([batch])
        recorded += batch.frameCount
      })))
    yield* until(() => opened)
    const socket = createSocket("udp4")
    yield* Effect.addFinalizer(() => Effect.sync(() => socket.close()))
    const frames = recordedFrames(name).slice(0, packets)
    const atMs = frames.map(({ timestampUs }) => startMs + (timestampUs - frames[0]!.timestampUs) / 1000)
    const untilCounts = (holds: (counts: Counts) => boolean) =>
      turn.pipe(Effect.andThen(counts), Effect.repeat({ until: holds }))
    for (const [sequence, { csi }] of frames.entries()) {
      const nowMs = atMs[sequence]!
      yield* TestClock.setTime(nowMs)
      const due = atMs.findIndex((ms) => ms > nowMs - 2 * listenerBatchMs)
      yield* untilCounts(({ accepted }) => accepted >= due)
      socket.send(nodeDatagram(csi, { order: "centre-first", sequence }), port, "127.0.0.1")
      yield* untilCounts(({ received }) => received > sequence)
    }
    yield* TestClock.adjust(2 * listenerBatchMs)
    yield* until(() => recorded === frames.length)
    return yield* storedFrames
  }).pipe(
    Effect.provide(
      DatagramListener.layer({ host: "127.0.0.1", ruviewPort: 0, nexmonPort: 0, datagramsPerS: null }).pipe(
        Layer.provide(layerAdmission()),
        Layer.merge(layerPrivacyClasses({ standard: 2, byNode: new Map() })),
      ),
    ),
    Effect.scoped,
  )

/** The recording under its own names: a replay by command renames, which moves the moment at which vital signs are read. */
const replayed = (file: string) =>
  Effect.gen(function* () {
    yield* startSystem(kitchen, ["node-1"])
    const recording = yield* openRecording({
      file,
      routerId: "unused",
      rename: (id) => id,
      startUs: startMs * 1000,
      batchSequence: 1,
    })
    const next = Effect.gen(function* () {
      const hop = yield* recording.nextHop
      if (hop === null) return null
      const endUs = (hop + 1) * hopUs
      yield* TestClock.setTime(endUs / 1000)
      return { endUs, batches: yield* recording.take(hop) }
    })
    yield* play({ next }, yield* makeIngest, { startMs, speed: null, progress: noProgress() })
    expect(recording.faults()).toBe(0)
    return yield* storedFrames
  }).pipe(Effect.scoped)

/** What a frame says of the room, and of which moment. */
const answerOf = ({ motion, persons, personsReason, presence, timestampMs, vitals }: PoseFrame) => ({
  motion,
  persons,
  personsReason,
  presence,
  timestampMs,
  vitals,
})

describe.skipIf(!hasRecordings("pulse_esp32"))("a recording from the running routers", () => {
  it("gives in its replay the answers that were given live", async () => {
    const file = join(folder, "walk.wavepose")
    const first = await run(live("pulse_esp32/mov_01.csv", file))
    const second = await run(replayed(file))
    expect(first.length).toBeGreaterThan(25)
    expect(first.some((frame) => frame.presence.present === true)).toBe(true)
    // The last hop of the live run waits for a later packet; that of the replay ends with the file.
    expect(second.slice(0, first.length).map(answerOf)).toEqual(first.map(answerOf))
    expect(first.every(({ provenance }) => provenance.source === "live")).toBe(true)
    expect(second.every(({ provenance }) => provenance.source === "replay")).toBe(true)
  }, 60_000)
})
