/** Frames that clients share: as a WebSocket client of another make reads them, and safe where a client still holds one. */
import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import type { AddressInfo } from "node:net"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { WebSocket } from "ws"
import { shareTail } from "../../../../gateways/pose/socket/shared-tail.ts"

const acceptKey = async (key: string): Promise<string> => {
  const digest = await crypto.subtle.digest(
    "SHA-1",
    new TextEncoder().encode(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`),
  )
  return Buffer.from(digest).toString("base64")
}

/** A bare socket behind whose handshake a client of `ws` listens. */
const connected = async (): Promise<
  { readonly socket: Socket; readonly client: WebSocket; readonly end: () => void }
> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const [socket] = await once(server, "connection") as [Socket]
  const [head] = await once(socket, "data") as [Buffer]
  const key = /sec-websocket-key: (.*)\r\n/i.exec(String(head))![1]!
  const opened = once(client, "open")
  socket.write(
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
      `Sec-WebSocket-Accept: ${await acceptKey(key)}\r\n\r\n`,
  )
  await opened
  return {
    socket,
    client,
    end: () => {
      client.terminate()
      server.close()
    },
  }
}

it("is received by a client unchanged, at every length", async () => {
  const { client, end, socket } = await connected()
  const head = Buffer.from("{ä")
  for (const length of [0, 1, 122, 123, 124, 65_531, 65_532, 65_533, 200_000]) {
    const text = "x".repeat(length)
    const received = once(client, "message")
    socket.write(shareTail(Buffer.from(text)).frameOf(head))
    const [data, isBinary] = await received
    expect([String(data), isBinary]).toEqual([`{ä${text}`, false])
  }
  end()
})

it("does not change bytes that are held", () =>
  fc.assert(
    fc.property(
      fc.string({ maxLength: 200 }),
      fc.array(fc.record({ head: fc.string({ minLength: 1, maxLength: 12 }), holds: fc.boolean() }), { maxLength: 20 }),
      (tail, clients) => {
        const shared = shareTail(Buffer.from(tail))
        const held: Array<readonly [frame: Uint8Array, wanted: string]> = []
        for (const { head, holds } of clients) {
          const frame = shared.frameOf(Buffer.from(head))
          const payload = Buffer.from(head + tail)
          const begin = payload.length < 126 ? 2 : 4
          expect(Buffer.from(frame.subarray(begin)).toString()).toBe(payload.toString())
          if (!holds) continue
          shared.held()
          held.push([frame, Buffer.from(frame).toString("hex")])
        }
        for (const [frame, wanted] of held) expect(Buffer.from(frame).toString("hex")).toBe(wanted)
      },
    ),
    { seed: 12 },
  ))
