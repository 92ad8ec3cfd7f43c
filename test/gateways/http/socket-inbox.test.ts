import { WebSocketServer } from "@effect/platform-node/NodeWS"
import { Effect } from "effect"
import type { IncomingMessage } from "node:http"
import { Duplex } from "node:stream"
import { expect, it } from "vitest"
import { makeInbox, type SocketInbox, strangerBytesMax } from "../../../gateways/http/socket-inbox.ts"
import { upgradeHeaders } from "../../harness/raw-http.ts"
import { until } from "../cluster.ts"

/** A connection whose client is the test; what the server does not read waits in it, as in the buffers of TCP. */
class Connection extends Duplex {
  override _read(): void {}
  override _write(_: unknown, __: string, done: () => void): void {
    done()
  }
}

/** A text message of a client, masked with zeros. */
const frame = (text: string): Buffer => {
  const head = Buffer.alloc(14)
  head.set([0x81, 0xff])
  head.writeBigUInt64BE(BigInt(text.length), 2)
  return Buffer.concat([head, Buffer.from(text)])
}

interface Opened {
  readonly connection: Connection
  readonly inbox: SocketInbox
}

const bytesMax = 100_000

const open = (): Opened => {
  const server = new WebSocketServer({ noServer: true, maxPayload: 4 * 1024 * 1024, perMessageDeflate: false })
  const connection = new Connection()
  const headers = Object.fromEntries(Object.entries(upgradeHeaders).map(([name, value]) => [name.toLowerCase(), value]))
  const opened: Array<Opened> = []
  server.handleUpgrade(
    { method: "GET", headers } as unknown as IncomingMessage,
    connection,
    Buffer.alloc(0),
    (socket) => {
      socket.on("error", () => {})
      opened.push({ connection, inbox: makeInbox(socket, connection, bytesMax) })
    },
  )
  return opened[0]!
}

const turns = Effect.promise(async () => {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve))
})

it("reads the first message of an unauthenticated client, and the others once it is authenticated", () =>
  Effect.gen(function* () {
    const { connection, inbox } = open()
    connection.push(frame("auth"))
    expect(yield* inbox.next).toBe("auth")
    const later = Array.from({ length: 8 }, (_, i) => String(i).repeat(10_000))
    for (const text of later) connection.push(frame(text))
    yield* turns
    expect(connection.readableLength).toBe(8 * 10_014)
    inbox.authenticated()
    for (const text of later) expect(yield* inbox.next).toBe(text)
  }).pipe(Effect.runPromise))

it("disconnects an unauthenticated client whose first message is long", () =>
  Effect.gen(function* () {
    const { connection } = open()
    const long = frame("x".repeat(strangerBytesMax))
    connection.push(long.subarray(0, strangerBytesMax))
    yield* turns
    expect([connection.destroyed, connection.readableLength]).toEqual([false, 0])
    connection.push(long.subarray(strangerBytesMax, -1))
    yield* until(() => connection.destroyed)
  }).pipe(Effect.runPromise))

it("ignores messages while the connection closes, and disconnects an unauthenticated client that goes on", () =>
  Effect.gen(function* () {
    const { connection, inbox } = open()
    connection.push(frame("wrong"))
    expect(yield* inbox.next).toBe("wrong")
    inbox.close(1000)
    connection.push(frame("ignored"))
    yield* until(() => connection.readableLength === 0)
    expect((yield* Effect.timeoutOption(inbox.next, 0))._tag).toBe("None")
    connection.push(frame("x".repeat(strangerBytesMax)).subarray(0, -1))
    yield* until(() => connection.destroyed)
  }).pipe(Effect.runPromise))

it("does not read from an authenticated client while its bytes or 256 of its messages wait", () =>
  Effect.gen(function* () {
    for (const [length, count] of [[40_000, 3], [1, 256]] as const) {
      const { connection, inbox } = open()
      inbox.authenticated()
      const texts = Array.from({ length: 2 * count }, (_, i) => String(i % 10).repeat(length))
      for (const text of texts) connection.push(frame(text))
      yield* until(() => connection.isPaused())
      yield* turns
      expect(connection.readableLength).toBe(count * (length + 14))
      for (const text of texts) expect(yield* inbox.next).toBe(text)
    }
  }).pipe(Effect.runPromise))
