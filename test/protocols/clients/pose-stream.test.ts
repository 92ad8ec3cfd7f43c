/** The TypeScript client's stream over a WebSocket of the test. */
import { expect, it } from "vitest"
import { poseStream } from "../../../protocols/clients/typescript/mod.ts"

// deno-lint-ignore no-explicit-any
type Json = any

/** A service: what it answers to a subscription of each connection. Collects the filters of the subscriptions. */
const serviceOf = (answers: ReadonlyArray<(id: number) => ReadonlyArray<Json>>) => {
  const asked: Array<Json> = []
  class Socket {
    onopen: () => void = () => {}
    onmessage: (event: { readonly data: string }) => void = () => {}
    onclose: (event: { readonly code: number; readonly reason: string }) => void = () => {}
    constructor() {
      queueMicrotask(() => this.onopen())
    }
    send(text: string) {
      const { filters, id, type } = JSON.parse(text)
      const messages = type === "auth" ? [{ type: "connection_established" }] : answers[asked.push(filters) - 1]!(id)
      for (const message of messages) queueMicrotask(() => this.onmessage({ data: JSON.stringify(message) }))
    }
    close() {
      queueMicrotask(() => this.onclose({ code: 1000, reason: "" }))
    }
  }
  return { asked, WebSocket: Socket as unknown as typeof globalThis.WebSocket }
}

const confirmed = (id: number, filters_applied: Json) => ({ type: "subscription_confirmed", id, filters_applied })

const update = (environment_id: string, frame_id: number, dropped = 0) => ({
  type: "pose_update",
  subscription_id: "s",
  dropped,
  environment_id,
  data: { frame_id },
})

const options = { url: "http://service", form: "bare", token: "token" } as const

it("throws if the service is too old to continue the streams of all environments", async () => {
  const { asked, WebSocket } = serviceOf([(id) => [confirmed(id, { environment_id: null }), update("attic", 9)]])
  const stream = poseStream(options, { after_frame_ids: { attic: 5 } }, { WebSocket })
  await expect(stream.next()).rejects.toMatchObject({ code: "RESUME_UNSUPPORTED" })
  expect(asked).toEqual([{ after_frame_ids: { attic: 5 } }])
})

it("fetches dropped frames of one environment that an update of another one reports", async () => {
  const { asked, WebSocket } = serviceOf([
    (id) => [confirmed(id, {}), update("attic", 1), update("cellar", 7, 2)],
    (id) => [confirmed(id, { after_frame_ids: {} }), update("attic", 2), update("attic", 3), update("cellar", 8)],
  ])
  const stream = poseStream(options, { min_confidence: 0.5 }, { WebSocket, retryMs: 0 })
  const seen: Array<unknown> = []
  for await (const { data, environment_id } of stream) {
    seen.push([environment_id, data.frame_id])
    if (seen.length === 4) break
  }
  expect(seen).toEqual([["attic", 1], ["attic", 2], ["attic", 3], ["cellar", 8]])
  expect(asked).toEqual([{ min_confidence: 0.5 }, { min_confidence: 0.5, after_frame_ids: { attic: 1 } }])
})
