/**
 * The streams of both clients over the WebSocket, also with more rooms than a connection has subscriptions: they lose their connection while
 * a room is deleted, and continue in the others.
 */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Layer } from "effect"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { poseStream } from "../../protocols/clients/typescript/mod.ts"
import { makeFrame, share } from "../gateways/pose/frames.ts"
import { type Gateway, startGateway } from "../gateways/pose/harness.ts"
import { nothingStored } from "../gateways/pose/ports.ts"
import { StoredFramesDouble } from "../gateways/stored-frames.ts"
import { startRelay } from "./relay.ts"
import { python, root } from "./tools.ts"

type Frame = readonly [environmentId: string, frameId: number]

/** A stream of a client. `received` has its frames so far. */
interface Reader {
  readonly received: ReadonlyArray<Frame>
  readonly stop: () => void
}

interface Service {
  readonly url: string
  readonly token: string
}

const installed = await python("client")
const skipped = "reason" in installed ? ` (skipped: ${installed.reason})` : ""

const readTypeScript = ({ token, url }: Service): Reader => {
  const received: Array<Frame> = []
  const ended = new AbortController()
  const read = async () => {
    const stream = poseStream({ url, form: "bare", token }, {}, { retryMs: 10, signal: ended.signal })
    for await (const { data, environment_id } of stream) received.push([environment_id, data.frame_id])
  }
  // A rejection shows in the frames that do not come.
  void read().catch(() => {})
  return { received, stop: () => ended.abort() }
}

const readPython = (asynchronous: boolean) => ({ token, url }: Service): Reader => {
  if ("reason" in installed) throw new Error(installed.reason)
  const child = spawn(join(installed.bin, "python"), [join(root, "test", "contract", "rooms_stream.py")], {
    env: { ...process.env, PYTHONPATH: join(root, "protocols", "clients", "python") },
    stdio: ["pipe", "pipe", "ignore"],
  })
  const received: Array<Frame> = []
  createInterface({ input: child.stdout }).on("line", (line) => received.push(JSON.parse(line)))
  child.stdin.write(`${JSON.stringify({ url, token, asynchronous })}\n`)
  return { received, stop: () => child.kill("SIGKILL") }
}

const clients: ReadonlyArray<readonly [name: string, needsPython: boolean, (service: Service) => Reader]> = [
  ["TypeScript", false, readTypeScript],
  ["Python", true, readPython(false)],
  ["asynchronous Python", true, readPython(true)],
]

let gateway: Gateway
let stored: StoredFramesDouble
beforeEach(async () => {
  stored = new StoredFramesDouble()
  gateway = await startGateway({}, { history: Layer.merge(nothingStored, stored.layer) })
})
afterEach(() => gateway.stop())

const enrol = (rooms: ReadonlyArray<string>) => {
  gateway.world.environments = rooms.map((environmentId) => ({ environmentId, name: environmentId, geometry: null }))
}

const makeIn = (rooms: ReadonlyArray<string>, frameId: number) => {
  for (const environmentId of rooms) {
    const frame = makeFrame({ environmentId, frameId, persons: [] })
    stored.store(frame)
    gateway.world.publish(share(frame))
  }
}

const patience = { timeout: 20_000 }

const untilWatched = (rooms: ReadonlyArray<string>) =>
  vi.waitFor(() => {
    const { watched } = gateway.world
    expect([...watched.keys()].toSorted()).toEqual(rooms.toSorted())
    expect([...watched.values()].every(({ size }) => size === 1)).toBe(true)
  }, patience)

const received = (of: ReadonlyArray<string>, frames: ReadonlyArray<Frame>) =>
  of.map((room) => frames.flatMap(([environmentId, frameId]) => environmentId === room ? [frameId] : []))

describe.each([2, 40])("a stream of all %i rooms", (count) => {
  for (const [name, needsPython, read] of clients) {
    it.skipIf(needsPython && skipped !== "")(
      `of ${name} has every frame once and in order after a lost connection, although a room is deleted${
        needsPython ? skipped : ""
      }`,
      async () => {
        const rooms = Array.from({ length: count }, (_, i) => `room-${i}`)
        const [deleted, ...others] = rooms as [string, ...Array<string>]
        enrol(rooms)
        const relay = await startRelay(`127.0.0.1:${gateway.port}`)
        const reader = read({ url: `http://${relay.address}`, token: await gateway.token("viewer") })
        try {
          await untilWatched(rooms)
          makeIn(rooms, 1)
          await vi.waitFor(() => expect(received(rooms, reader.received)).toEqual(rooms.map(() => [1])), patience)
          enrol(others)
          relay.drop()
          makeIn(others, 2)
          await vi.waitFor(() => expect(received(others, reader.received)).toEqual(others.map(() => [1, 2])), patience)
          await untilWatched(others)
          makeIn(others, 3)
          await vi.waitFor(
            () => expect(received(others, reader.received)).toEqual(others.map(() => [1, 2, 3])),
            patience,
          )
          expect(received([deleted], reader.received)).toEqual([[1]])
        } finally {
          reader.stop()
          relay.stop()
        }
      },
    )
  }
})
