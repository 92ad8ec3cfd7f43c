/** `ProcessService.ProcessCsi`: CSI in, acknowledgements and frames out. */
import * as grpc from "@grpc/grpc-js"
import { Effect, Fiber } from "effect"
import { EventEmitter } from "node:events"
import { describe, expect, it } from "vitest"
import { defaultConnectionLimits } from "../../../gateways/access/connection-limits.ts"
import { write } from "../../../gateways/grpc/calls.ts"
import { poseFrame, until } from "../cluster.ts"
import { ampleRules } from "../pose/harness.ts"
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

  it("gives the slot of a client back that stopped reading and disconnected", () => {
    const limits = { rules: ampleRules, connections: { ...defaultConnectionLimits, perAccount: 1 } }
    return withServer(({ environments, port, stored }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const make = (frameId: number) => {
            stored.store(poseFrame("room", frameId))
            environments.publish(poseFrame("room", frameId))
          }
          make(1)
          const stalled = openProcess(client)
          stalled.call.write(processMessage(batch("a", 1)))
          yield* until(() => stalled.acks().length === 1 && environments.streams === 1)
          stalled.call.pause()
          // More than the flow control windows of the client and the queue of the call hold.
          for (let frameId = 2; frameId <= 2_000; frameId++) {
            make(frameId)
            if (frameId % 4 === 0) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
          }
          stalled.call.cancel()
          // The client knows of the end before the server does.
          let next = openProcess(client)
          next.call.write(processMessage(batch("a", 2)))
          yield* until(() => {
            if (next.result.status !== null) {
              next = openProcess(client)
              next.call.write(processMessage(batch("a", 2)))
            }
            return next.acks().length > 0
          })
          next.call.cancel()
        })), { limits })
  })
})

describe("gRPC edge: writing to a full stream", () => {
  const fullCall = () => Object.assign(new EventEmitter(), { writableNeedDrain: true, write: () => false })

  it.each(["drain", "close"])("goes on after %s, and leaves no listener", (event) =>
    Effect.gen(function* () {
      const call = fullCall()
      const writing = yield* Effect.forkChild(Effect.uninterruptible(write(call, new Uint8Array())), {
        startImmediately: true,
      })
      expect(writing.pollUnsafe()).toBeUndefined()
      call.emit(event)
      yield* Fiber.join(writing)
      expect(call.eventNames()).toEqual([])
    }).pipe(Effect.runPromise))

  it("does not wait for one that is destroyed", () =>
    Effect.runPromise(write(Object.assign(fullCall(), { writableNeedDrain: false }), new Uint8Array())))
})
