/**
 * Subscribers of the home bench, in a thread of their own: bare sockets that follow the frames of the WebSocket and look for marks in them.
 *
 * A mark is `^<n>^` within the state that write `n` made. Every mark that every subscriber is sent is counted, added up and timed; nothing else of
 * a message is looked at, so that the bench takes as little of the machine from the service as it can.
 */
import { connect, type Socket } from "node:net"
import { parentPort, workerData } from "node:worker_threads"

/** What the thread is started with. */
export interface SubscribersOptions {
  readonly port: number
  readonly token: string
  readonly subscribers: number
  /** Whether messages may come as arrays. */
  readonly coalesce: boolean
}

/** Write `n` is due at `startMs + n * intervalMs` since the Unix epoch; there are `writes` of them. */
export interface Expected {
  readonly startMs: number
  readonly intervalMs: number
  readonly writes: number
}

/** What came, up to when everything had or the time was over. */
export interface Received {
  /** Marks of all subscribers. */
  readonly events: number
  /** Subscribers that were not sent each mark once. */
  readonly incomplete: number
  /** Of writes' due times to their marks: how many took so many whole milliseconds, the last entry all longer ones. */
  readonly latencies: Uint32Array
  readonly bytes: number
}

const latencyMsMax = 20_000
/** What may still come after the last write. */
const graceMs = 10_000
const markByte = "^".charCodeAt(0)
const zeroByte = "0".charCodeAt(0)
const opcodes = { close: 8, ping: 9 } as const

/** A frame of a client with less than 126 bytes, masked with zeros. */
const clientFrame = (opcode: number, text: string): Buffer =>
  Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])

/** Follows frames through chunks of a stream: calls `payload` with each part of a message, and `control` for each frame that is none. */
const makeFrameReader = (
  payload: (chunk: Uint8Array, from: number, to: number) => void,
  control: (opcode: number) => void,
) => {
  let left = 0
  let header: Array<number> = []
  let isControl = false
  const headerBytes = () => header.length < 2 ? 2 : header[1] === 126 ? 4 : header[1] === 127 ? 10 : 2
  return (chunk: Uint8Array): void => {
    let at = 0
    while (at < chunk.length) {
      if (left === 0) {
        header.push(chunk[at++]!)
        if (header.length < headerBytes()) continue
        left = header.length === 2 ? header[1]! : header.slice(2).reduce((length, byte) => 256 * length + byte, 0)
        const opcode = header[0]! & 15
        isControl = opcode >= 8
        if (isControl) control(opcode)
        header = []
      } else {
        const to = Math.min(chunk.length, at + left)
        if (!isControl) payload(chunk, at, to)
        left -= to - at
        at = to
      }
    }
  }
}

let expected: Expected | null = null
let received = 0
let bytes = 0
const latencies = new Uint32Array(latencyMsMax + 1)

interface Subscriber {
  readonly socket: Socket
  count: number
  sum: number
}

/** Connects, signs in and subscribes to all entities; resolves when all states have come. */
const subscribe = async ({ coalesce, port, token }: SubscribersOptions): Promise<Subscriber> => {
  const socket = await new Promise<Socket>((resolve, reject) => {
    const opened = connect({ port, host: "127.0.0.1" }, () => resolve(opened.setNoDelay(true)))
    opened.once("error", reject)
  })
  const subscriber: Subscriber = { socket, count: 0, sum: 0 }
  let ready: () => void
  const begun = new Promise<void>((resolve) => ready = resolve)
  let isUpgraded = false
  let value = -1
  let nowMs = 0
  const payload = (chunk: Uint8Array, from: number, to: number): void => {
    for (let i = from; i < to; i++) {
      const byte = chunk[i]!
      if (byte === markByte) {
        if (value >= 0) note(subscriber, value, nowMs)
        value = value >= 0 ? -1 : 0
      } else if (value >= 0) value = 10 * value + byte - zeroByte
    }
  }
  const read = makeFrameReader(payload, (opcode) => {
    if (opcode === opcodes.ping) socket.write(clientFrame(10, ""))
    if (opcode === opcodes.close) throw new Error("the service has closed a subscriber")
  })
  let tail = ""
  socket.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    nowMs = Date.now()
    if (!isUpgraded) {
      isUpgraded = true
      const head = chunk.indexOf("\r\n\r\n")
      read(chunk.subarray(head + 4))
    } else read(chunk)
    if (expected !== null) return
    // The pong comes after the states.
    tail = (tail + chunk.subarray(Math.max(0, chunk.length - 64)).toString("latin1")).slice(-64)
    if (tail.includes(`"type":"pong"`)) ready()
  })
  socket.write(
    "GET /api/websocket HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  )
  const send = (message: object) => socket.write(clientFrame(1, JSON.stringify(message)))
  send({ type: "auth", access_token: token })
  if (coalesce) send({ id: 1, type: "supported_features", features: { coalesce_messages: 1 } })
  send({ id: 3, type: "subscribe_entities" })
  send({ id: 4, type: "ping" })
  await begun
  return subscriber
}

const note = (subscriber: Subscriber, n: number, nowMs: number): void => {
  const { intervalMs, startMs } = expected!
  subscriber.count += 1
  subscriber.sum += n
  received += 1
  latencies[Math.min(latencyMsMax, Math.max(0, Math.round(nowMs - startMs - n * intervalMs)))]! += 1
}

const options = workerData as SubscribersOptions
const port = parentPort!
const subscribers: Array<Subscriber> = []

/** Resolves when every subscriber has every mark, or nothing more is waited for. */
const everything = async (writes: number): Promise<void> => {
  const deadlineMs = performance.now() + graceMs
  while (received < writes * subscribers.length && performance.now() < deadlineMs) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

port.on("message", async (message: { readonly begin: Expected } | { readonly end: { readonly writes: number } }) => {
  if ("begin" in message) {
    expected = message.begin
    return port.postMessage("ready")
  }
  const { writes } = message.end
  await everything(writes)
  const sum = (writes * (writes - 1)) / 2
  const incomplete = subscribers.filter((one) => one.count !== writes || one.sum !== sum).length
  port.postMessage({ events: received, incomplete, latencies, bytes } satisfies Received)
})

for (let i = 0; i < options.subscribers; i++) subscribers.push(await subscribe(options))
port.postMessage("ready")
