/**
 * Another pose network on a running system: the real actors on the real embedded store, weights in a real folder, a simulated walker,
 * and the message that a configuration sends.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { loadScenario } from "../../deploy/source/load-scenario.ts"
import { layerPoseModels } from "../../deploy/composition/pose-models.ts"
import { openSimulation, scenarioEnrolments } from "../../deploy/source/simulate.ts"
import { defaultStartOptions } from "../../protocols/domain/system.ts"
import { encodeCsiBatch } from "../../protocols/grpc/csi-batch.ts"
import { decodePoseFrame } from "../../protocols/grpc/pose-frame.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { Environment } from "../../protocols/messages/environment.ts"
import { Router } from "../../protocols/messages/router.ts"
import { Session, sessionEntityId } from "../../protocols/messages/session.ts"
import { runActors } from "../harness/actors.ts"
import { embeddedDatabase, type TestDatabase } from "../harness/database.ts"
import { liftedWeights } from "../harness/lifted-weights.ts"

const startMs = Date.UTC(2026, 0, 1)

let folder: string
let database: TestDatabase
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "wavepose-model-version-"))
  writeFileSync(join(folder, "mine.safetensors"), liftedWeights("mine", 0))
  writeFileSync(join(folder, "lifted.safetensors"), liftedWeights("lifted", 10))
  writeFileSync(join(folder, "cut.safetensors"), liftedWeights("cut", 0).subarray(0, 100_000))
  database = await embeddedDatabase()
}, 60_000)
afterAll(async () => {
  await database.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** A small room with a walker who comes after three seconds. */
const site = Effect.gen(function* () {
  const scenario = { ...yield* loadScenario("small-room"), emptySeconds: 3 }
  const { environment, routerIds } = scenarioEnrolments(scenario)[0]!
  const session = (yield* Session.client)(sessionEntityId)
  const room = (yield* Environment.client)(environment.environmentId)
  const router = yield* Router.client
  const source = openSimulation(scenario, { startMs, seed: 1, hops: null })
  /** Sends so many hops; answers the newest frame. */
  const play = Effect.fnUntraced(function* (hops: number) {
    for (let i = 0; i < hops; i++) {
      const hop = yield* source.next
      for (const batch of hop!.batches) yield* router(batch.routerId).Ingest({ batches: [encodeCsiBatch(batch)] })
    }
    return decodePoseFrame(yield* room.Latest())
  })
  const status = (wanted: string) => session.Status().pipe(Effect.repeat({ until: ({ status }) => status === wanted }))
  const useModel = (modelVersion: string | null) =>
    session.Configure({
      changes: { neuralNetwork: { modelVersion } },
      by: { kind: "node", id: "", name: "test" },
      ifRevision: null,
    })
  return { environment, play, room, router, routerIds, session, status, useModel }
})

const onNode = <A, E>(program: Effect.Effect<A, E, Effect.Services<typeof site> | Directory>): Promise<A> =>
  runActors({
    location: database.location,
    startMs,
    seed: "models",
    models: layerPoseModels(join(folder, "mine.safetensors")).pipe(Layer.provide(NodeServices.layer)),
  }, program)

type Frame = ReturnType<typeof decodePoseFrame>
const idsOf = ({ persons }: Frame) => persons.map(({ id }) => id)
const heightsOf = ({ persons }: Frame) => persons.flatMap(({ keypoints3d }) => keypoints3d.map(({ z }) => z))

const change = Effect.gen(function* () {
  const { environment, play, room, router, routerIds, session, status, useModel } = yield* site
  yield* (yield* Directory).enrol(environment, routerIds)
  yield* session.Start({ ...defaultStartOptions, environmentId: environment.environmentId })
  const { sessionId } = yield* status("running")
  for (const id of routerIds) yield* router(id).Calibrate({ room: "empty", seconds: 2 })
  const before = yield* play(80)
  expect(before.provenance.modelVersion).toBe("mine")
  expect(before.persons).toHaveLength(1)
  expect(Math.max(...heightsOf(before))).toBeLessThan(3)

  // Between two hops: the next frame, the same person, the other network.
  yield* useModel("lifted")
  const after = yield* play(1)
  expect(after.provenance.modelVersion).toBe("lifted")
  expect(after.frameId).toBe(before.frameId + 1)
  expect(idsOf(after)).toEqual(idsOf(before))
  expect(Math.min(...heightsOf(after))).toBeGreaterThan(8)
  expect((yield* room.Describe()).modelVersion).toBe("lifted")
  expect(yield* session.Status()).toMatchObject({ sessionId, options: { neuralNetwork: { modelVersion: "lifted" } } })

  // A missing or unsuitable model is rejected by name, and the current one stays in use.
  expect(yield* Effect.flip(useModel("nothing"))).toMatchObject({ _tag: "UnknownModel", modelVersion: "nothing" })
  expect(yield* Effect.flip(useModel("cut"))).toMatchObject({ _tag: "UnusableModel", modelVersion: "cut" })
  const next = yield* play(1)
  expect(next).toMatchObject({ frameId: after.frameId + 1, provenance: { modelVersion: "lifted" } })
  expect(idsOf(next)).toEqual(idsOf(before))

  // The node's own again.
  yield* useModel(null)
  const own = yield* play(1)
  expect(own).toMatchObject({ frameId: next.frameId + 1, provenance: { modelVersion: "mine" } })
  expect(idsOf(own)).toEqual(idsOf(before))
  expect(Math.max(...heightsOf(own))).toBeLessThan(3)
  yield* useModel("lifted")
})

/** What a process that begins on the same store uses. */
const resumed = Effect.gen(function* () {
  const { room, status } = yield* site
  yield* status("running")
  return (yield* room.Describe()).modelVersion
})

it("loads another network between two hops, keeps the tracks, and says in each frame which made it", async () => {
  await onNode(change)
  expect(await onNode(resumed)).toBe("lifted")
  rmSync(join(folder, "lifted.safetensors"))
  // Weights that are gone keep no environment from its work.
  expect(await onNode(resumed)).toBe("mine")
}, 90_000)
