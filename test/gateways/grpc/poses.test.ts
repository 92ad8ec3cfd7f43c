import * as grpc from "@grpc/grpc-js"
import { Deferred, Effect } from "effect"
import { describe, expect, it } from "vitest"
import { poseFrame, until } from "../cluster.ts"
import { getLatest, metadata, openIngest, openWatch, withClient } from "./clients.ts"
import { withServer } from "./moody-routers.ts"
import { revocations } from "./site.ts"

describe("gRPC edge: PoseService", () => {
  it("streams every frame, with its age and lateness, to every watcher over one subscription", () =>
    withServer(({ environments, port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const watches = [openWatch(client, "room"), openWatch(client, ""), openWatch(client, "room")]
          yield* until(() => environments.streams === 1)
          // Watchers open one by one: publish until all have heard.
          let published = 0
          yield* until(() => {
            if (watches.every(({ frames }) => frames().length > 0)) return true
            environments.publish(poseFrame("room", ++published))
            return false
          })
          environments.publish(poseFrame("room", ++published))
          yield* until(() => watches.every(({ frames }) => frames().at(-1)!.frame_id === published))
          for (const { frames } of watches) {
            // Zeros are not on the wire.
            expect(frames().at(-1)).toEqual({
              frame_id: published,
              timestamp: new Date(poseFrame("room", published).timestampMs).toISOString(),
              processing_time_ms: 1,
              metadata: {
                environment_id: "room",
                router_count: 1,
                processing_pipeline: "test",
                presence: { reason: "nothing measured" },
                vitals: { breathing_reason: expect.any(String), heartrate_reason: expect.any(String) },
                capabilities: ["presence"],
                provenance: {
                  source: "simulated",
                  age_ms: expect.any(Number),
                  lateness: "stale",
                  model_version: "none",
                  links_used: 1,
                },
              },
            })
          }
          expect(environments.opened).toBe(1)
          for (const { call } of watches) call.cancel()
        }))
    ))

  it("keeps only the newest frames for a client that does not read", () =>
    withServer(({ environments, port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const { call, frames } = openWatch(client, "room")
          call.pause()
          yield* until(() => environments.streams === 1)
          const wide = { ...poseFrame("room", 0), processingPipeline: "x".repeat(50_000) }
          const count = 400
          for (let frameId = 1; frameId <= count; frameId++) {
            environments.publish({ ...wide, frameId })
            yield* Effect.promise(() => new Promise((go) => setImmediate(go)))
          }
          call.resume()
          yield* until(() => frames().length > 0 && frames().at(-1)!.frame_id === count)
          const ids = frames().map(({ frame_id }) => frame_id)
          expect(ids).toEqual([...ids].sort((a, b) => a - b))
          // 64 in the hub, and what both ends' flow-control windows and stream buffers hold: far from all.
          expect(ids.length).toBeLessThan(200)
          call.cancel()
        }))
    ))

  it("returns the newest frame", () =>
    withServer(({ environments, port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          environments.publish(poseFrame("room", 7))
          const named = yield* getLatest(client, "room", metadata({ authorization: "Bearer viewer" }))
          const unnamed = yield* getLatest(client, "")
          for (const { code, frame } of [named, unnamed]) {
            expect(code).toBe(grpc.status.OK)
            expect(frame).toMatchObject({ frame_id: 7, metadata: { provenance: { lateness: "stale" } } })
          }
        }))
    ))

  it("ends only the streams of a caller whose credential ends", () => {
    const end = Promise.withResolvers<void>()
    revocations.set("operator", end)
    return withServer(({ environments, port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const ended = openWatch(client, "room")
          const ingest = openIngest(client)
          const other = openWatch(client, "room", metadata({ "x-api-key": "viewer" }))
          yield* until(() => environments.streams === 1)
          environments.publish(poseFrame("room", 1))
          yield* until(() => ended.frames().length === 1 && other.frames().length === 1)
          end.resolve()
          yield* until(() => ended.result.status !== null && ingest.result.status !== null)
          expect(ended.result.status!.code).toBe(grpc.status.UNAUTHENTICATED)
          expect(ingest.result.status!.code).toBe(grpc.status.UNAUTHENTICATED)
          environments.publish(poseFrame("room", 2))
          yield* until(() => other.frames().length === 2)
          expect(ended.frames()).toHaveLength(1)
        }))
    ).finally(() => revocations.delete("operator"))
  })

  it("maps every failure to its status", () =>
    withServer(({ environments, port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          expect(yield* getLatest(client, "room")).toMatchObject({ code: grpc.status.NOT_FOUND })
          expect(yield* getLatest(client, "nowhere")).toMatchObject({ code: grpc.status.NOT_FOUND })
          expect(yield* getLatest(client, "no such id: ü \u{1F600} " + "x".repeat(1e5))).toMatchObject({
            code: grpc.status.INVALID_ARGUMENT,
          })
          const unknown = yield* getLatest(client, "unknown")
          expect(unknown.details).toContain("Known environments: room.")
          expect(yield* getLatest(client, "")).toMatchObject({ code: grpc.status.NOT_FOUND })
          environments.stop("room")
          expect(yield* getLatest(client, "")).toMatchObject({
            code: grpc.status.FAILED_PRECONDITION,
            details: "The system is stopped.",
          })
          expect(yield* getLatest(client, "room", metadata({}))).toMatchObject({ code: grpc.status.UNAUTHENTICATED })
          const { result } = openWatch(client, "nowhere")
          yield* until(() => result.status !== null)
          expect(result.status!.code).toBe(grpc.status.NOT_FOUND)
        }))
    ))

  it("returns the newest frame of all environments while one is stopped and another is silent", () =>
    withServer(({ environments, port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          for (const id of ["attic", "cellar", "hall"]) environments.known.add(id)
          environments.publish(poseFrame("room", 7))
          environments.publish(poseFrame("attic", 9))
          environments.stop("hall")
          environments.fallSilent("cellar")
          const { frame } = yield* getLatest(client, "")
          expect(frame).toMatchObject({ frame_id: 9, metadata: { environment_id: "attic" } })
        }))
    ))

  it("without environments, fails because there are no frames or the system is not running", () =>
    withServer((site) =>
      withClient(site.port, (client) =>
        Effect.gen(function* () {
          site.environments.known.clear()
          expect(yield* getLatest(client, "")).toMatchObject({
            code: grpc.status.NOT_FOUND,
            details: expect.stringContaining("No environment is enrolled"),
          })
          site.systemStatus = "stopped"
          expect(yield* getLatest(client, "")).toMatchObject({
            code: grpc.status.FAILED_PRECONDITION,
            details: expect.stringContaining("No environment is enrolled"),
          })
        }))
    ))

  it("streams the frames of all environments, including one enrolled later and one that is removed and returns", () =>
    withServer(({ environments, port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          environments.known.add("attic")
          const { call, frames } = openWatch(client, "")
          const single = openWatch(client, "attic")
          const of = (id: string) =>
            frames().flatMap(({ frame_id, metadata }) => metadata.environment_id === id ? [frame_id] : [])
          yield* until(() => environments.streams === 2)
          environments.publish(poseFrame("room", 1))
          environments.publish(poseFrame("attic", 5))
          yield* until(() => frames().length === 2 && single.frames().length === 1)
          environments.known.add("cellar")
          yield* until(() => environments.streams === 3)
          environments.publish(poseFrame("cellar", 3))
          environments.known.delete("room")
          yield* environments.breakStreams("end")
          yield* until(() => environments.streams === 2)
          environments.known.add("room")
          yield* until(() => environments.streams === 3)
          environments.publish(poseFrame("room", 2))
          yield* until(() => of("room").length === 2 && of("cellar").length === 1)
          expect([of("room"), of("attic"), of("cellar")]).toEqual([[1, 2], [5], [3]])
          expect(single.frames()).toHaveLength(1)
          call.cancel()
          single.call.cancel()
        }))
    ))

  it("ends its watchers when streams are switched off and rejects new ones, but answers GetLatestPose", () => {
    const off = Deferred.makeUnsafe<void>()
    return withServer(({ environments, port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          environments.publish(poseFrame("room", 7))
          const { result } = openWatch(client, "room")
          yield* until(() => environments.streams === 1)
          yield* Deferred.succeed(off, undefined)
          yield* until(() => result.status !== null)
          expect(result.status).toMatchObject({
            code: grpc.status.FAILED_PRECONDITION,
            details: expect.stringContaining("streaming.restream_enabled"),
          })
          const later = openWatch(client, "room")
          yield* until(() => later.result.status !== null)
          expect(later.result.status!.code).toBe(grpc.status.FAILED_PRECONDITION)
          expect(later.frames()).toEqual([])
          expect(yield* getLatest(client, "room")).toMatchObject({ code: grpc.status.OK })
        })), { untilWatchingOff: Deferred.await(off) })
  })

  it("ends its watchers when it stops", () =>
    withServer(({ environments, port, stop }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const { result } = openWatch(client, "room")
          yield* until(() => environments.streams === 1)
          yield* stop
          yield* until(() => result.status !== null)
          expect(result.status!.code).toBe(grpc.status.UNAVAILABLE)
        }))
    ))
})
