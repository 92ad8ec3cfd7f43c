import * as grpc from "@grpc/grpc-js"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { poseFrame, until } from "../cluster.ts"
import { type AnyFrame, metadata, openStream, openWatch, withClient } from "./clients.ts"
import { withServer } from "./moody-routers.ts"

describe("gRPC edge: WatchPoses after a frame id", () => {
  it("resumes after a frame id on each of several connections, without a gap or a repeat", () =>
    withServer(({ environments, port, stored }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const make = (frameId: number) => {
            stored.store(poseFrame("room", frameId))
            environments.publish(poseFrame("room", frameId))
          }
          for (let frameId = 1; frameId <= 120; frameId++) make(frameId)
          const received = [5]
          for (let round = 0; round < 5; round++) {
            const last = received.at(-1)!
            const newest = 120 + 10 * round
            const { call, frames } = openWatch(client, "room", metadata({ "x-api-key": "viewer" }), last)
            const ids = () => frames().map(({ frame_id }) => frame_id)
            yield* until(() => ids().includes(newest) && environments.streams === 1)
            for (let i = 1; i <= 5; i++) make(newest + i)
            yield* until(() => ids().includes(newest + 5))
            call.cancel()
            received.push(...ids())
            for (let i = 6; i <= 10; i++) make(newest + i)
          }
          expect(received).toEqual(Array.from({ length: 161 }, (_, i) => 5 + i))
        }))
    ))

  it("goes on when an environment that it resumes is deleted, which continues after its last frame when it returns", () =>
    withServer(({ environments, port, stored }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const make = (id: string, ...frameIds: ReadonlyArray<number>) => {
            for (const frameId of frameIds) {
              stored.store(poseFrame(id, frameId))
              environments.publish(poseFrame(id, frameId))
            }
          }
          environments.known.add("attic")
          for (const id of ["room", "attic", "cellar"]) make(id, 1, 2, 3)
          const { answers, call, result } = openStream(client, "PoseService", "WatchPoses", {
            after_frame_ids: { room: 1, attic: 1, cellar: 1 },
          })
          const of = (id: string) =>
            answers.map(({ pose_frame }): AnyFrame => pose_frame)
              .flatMap(({ frame_id, metadata }) => metadata.environment_id === id ? [frame_id] : [])
          const untilHas = (id: string, frameId: number) =>
            until(() => result.status !== null || of(id).at(-1) === frameId)
          yield* untilHas("room", 3)
          yield* untilHas("attic", 3)
          yield* until(() => environments.streams === 2)
          environments.known.delete("attic")
          yield* environments.breakStreams("end")
          yield* until(() => result.status !== null || environments.streams === 1)
          make("room", 4)
          yield* untilHas("room", 4)
          expect(result.status).toBeNull()
          make("attic", 4)
          environments.known.add("attic").add("cellar")
          yield* until(() => environments.streams === 3)
          make("attic", 5)
          make("cellar", 4)
          yield* untilHas("attic", 5)
          yield* untilHas("cellar", 4)
          expect([of("room"), of("attic"), of("cellar")]).toEqual([[2, 3, 4], [2, 3, 4, 5], [2, 3, 4]])
          call.cancel()
        }))
    ))

  it("ends with NOT_FOUND when an environment that it names is deleted", () =>
    withServer(({ environments, port, stored }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          environments.known.add("attic")
          stored.store(poseFrame("attic", 1), poseFrame("attic", 2))
          const { frames, result } = openWatch(client, "attic", metadata({ "x-api-key": "viewer" }), 1)
          yield* until(() => frames().length === 1 && environments.streams === 1)
          environments.known.delete("attic")
          yield* environments.breakStreams("end")
          yield* until(() => result.status !== null)
          expect(result.status!.code).toBe(grpc.status.NOT_FOUND)
        }))
    ))

  it("rejects a frame id of an environment that is not watched", () =>
    withServer(({ port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const { result } = openWatch(client, "room", metadata({ "x-api-key": "viewer" }), 5, "other")
          yield* until(() => result.status !== null)
          expect(result.status).toMatchObject({
            code: grpc.status.INVALID_ARGUMENT,
            details: expect.stringContaining("after_frame_ids: names an environment"),
          })
        }))
    ))
})
