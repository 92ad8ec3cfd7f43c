/** `ProcessService.ProcessCsi`: CSI in, acknowledgements and frames out. */
import * as grpc from "@grpc/grpc-js"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { poseFrame, until } from "../cluster.ts"
import { batch, metadata, openProcess, processMessage, withClient } from "./clients.ts"
import { withServer } from "./moody-routers.ts"

describe("gRPC edge: ProcessService", () => {
  it("acknowledges batches in order and sends every frame after the first batch once, then ends", () =>
    withServer(({ environments, port, stored }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const make = (frameId: number) => {
            stored.store(poseFrame("room", frameId))
            environments.publish(poseFrame("room", frameId))
          }
          make(1)
          make(2)
          const { acks, call, frames, result } = openProcess(client)
          call.write(processMessage(batch("a", 1)))
          yield* until(() => acks().length === 1)
          for (let frameId = 3; frameId <= 40; frameId++) make(frameId)
          call.write(processMessage(batch("picky", 2)))
          call.write(processMessage(batch("strange", 3)))
          call.write(processMessage(batch("b", 4)))
          // The live stream may begin after these frames: they are sent all the same.
          call.end()
          yield* until(() => result.status !== null)
          expect(result.status!.code).toBe(grpc.status.OK)
          expect(acks()).toMatchObject([
            { batch_sequence: 1, accepted_frames: 9 },
            { batch_sequence: 2, error_code: "invalid_batch" },
            { batch_sequence: 3, error_code: "unknown_router" },
            { batch_sequence: 4, accepted_frames: 9 },
          ])
          expect(frames().map(({ frame_id }) => frame_id)).toEqual(Array.from({ length: 38 }, (_, i) => 3 + i))
          expect(frames()[0]!.metadata.provenance.source).toBe("simulated")
        }))
    ))

  it("rejects a filter out of range, a message that is none, and a caller without the permission", () =>
    withServer(({ port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const endOf = Effect.fnUntraced(function* (message: Uint8Array, credentials?: grpc.Metadata) {
            const { call, result } = openProcess(client, credentials)
            call.write(message)
            yield* until(() => result.status !== null)
            return result.status
          })
          expect(yield* endOf(processMessage(batch("a", 1), { min_confidence: 2 }))).toMatchObject({
            code: grpc.status.INVALID_ARGUMENT,
            details: expect.stringContaining("min_confidence"),
          })
          expect(yield* endOf(Uint8Array.of(0x0a, 0xff, 0x01))).toMatchObject({ code: grpc.status.INVALID_ARGUMENT })
          const viewer = metadata({ "x-api-key": "viewer" })
          expect(yield* endOf(processMessage(batch("a", 1)), viewer)).toMatchObject({
            code: grpc.status.PERMISSION_DENIED,
          })
        }))
    ))

  it("ends when the server stops, so that the client sends the rest elsewhere", () =>
    withServer(({ port, stop }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const { acks, call, result } = openProcess(client)
          call.write(processMessage(batch("a", 1)))
          yield* until(() => acks().length === 1)
          yield* stop
          yield* until(() => result.status !== null)
          expect(result.status!.code).toBe(grpc.status.UNAVAILABLE)
        }))
    ))
})
