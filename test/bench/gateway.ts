/**
 * What the pose gateway costs beside the bare parts that it is made of: GET /pose/latest beside `node:http` with a stringified body, and
 * pose updates to 500 WebSocket clients beside the package `ws` and beside raw TCP.
 *
 *     npm run bench:gateway -- [rounds] [clients]
 *
 * Each server is a process of its own (`peers/serving.ts`) and is judged by its own CPU time; clients are bare sockets of this process, so
 * that they are never what limits. A round gives every server the same work, a short while after one another and in changing order, so that
 * what else the machine does falls on all alike. Latency is from when a frame was made to when a client has it whole, at 30 frames/s. Writes
 * `results/gateway.json`.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { connect, type Socket } from "node:net"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { socketPath } from "../../protocols/pose-api/socket-messages.ts"
import { machine, median, rounded, roundedSpread, spreadOf, writeResults } from "./harness.ts"

const rounds = Number(process.argv[2] ?? 10)
const clientsMax = Number(process.argv[3] ?? 500)
/** Of a round and server: connections, requests of each, and frames to all clients. */
const connections = 16
const requestsEach = 500
const frames = 45

interface Server {
  readonly process: ChildProcess
  readonly port: number
  readonly token: string | undefined
  /** CPU time so far, in microseconds. */
  readonly cpuUs: () => Promise<number>
}

const start = async (kind: string): Promise<Server> => {
  const script = fileURLToPath(new URL("./peers/serving.ts", import.meta.url))
  // The same runtime with the same rights.
  const child = spawn(process.execPath, ["Deno" in globalThis ? ["run", "-A"] : [], script, kind].flat(), {
    stdio: ["pipe", "pipe", "inherit"],
  })
  // deno-lint-ignore no-explicit-any
  let reported = (_: any): void => {}
  createInterface({ input: child.stdout! }).on("line", (line) => line.startsWith("{") && reported(JSON.parse(line)))
  // deno-lint-ignore no-explicit-any
  const next = () => new Promise<any>((resolve) => reported = resolve)
  const { port, token } = await next()
  const cpuUs = async () => {
    const answer = next()
    child.stdin!.write("cpu\n")
    return (await answer).cpuUs as number
  }
  return { process: child, port, token, cpuUs }
}

/** Connects from the address of a loopback host: an address may have only so many connections. */
const open = (port: number, host = 1): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const options = { port, host: "127.0.0.1", localAddress: `127.0.0.${host}` }
    const socket = connect(options, () => resolve(socket.setNoDelay(true)))
    socket.once("error", reject)
  })

/** Asks on a kept connection, again as soon as an answer is whole. */
const ask = async (server: Server): Promise<void> => {
  const socket = await open(server.port)
  const request = [
    "GET /api/v1/pose/latest?environment_id=living-room HTTP/1.1",
    "Host: localhost",
    ...(server.token === undefined ? [] : [`Authorization: Bearer ${server.token}`]),
    "",
    "",
  ].join("\r\n")
  return await new Promise((resolve, reject) => {
    let answers = 0
    let held = ""
    socket.on("error", reject)
    socket.on("data", (chunk) => {
      held += chunk.toString("latin1")
      const head = held.indexOf("\r\n\r\n")
      if (head < 0) return
      if (!held.startsWith("HTTP/1.1 200 ")) return reject(new Error(held.slice(0, 400)))
      const length = Number(/content-length: (\d+)/i.exec(held)![1])
      if (held.length < head + 4 + length) return
      held = ""
      answers++
      if (answers < requestsEach) return void socket.write(request)
      socket.destroy()
      resolve()
    })
    socket.write(request)
  })
}

/** CPU time of the server for an answer, in microseconds. */
const requestCost = async (server: Server): Promise<number> => {
  const before = await server.cpuUs()
  await Promise.all(Array.from({ length: connections }, () => ask(server)))
  return (await server.cpuUs() - before) / (connections * requestsEach)
}

/** A text frame of a client, masked with zeros. */
const clientFrame = (text: string): Buffer => {
  const body = Buffer.from(text)
  return Buffer.concat([Buffer.from([0x81, 0x80 | body.length, 0, 0, 0, 0]), body])
}

const pong = Buffer.from([0x8a, 0x80, 0, 0, 0, 0])

/** A client that waits for updates: it notes the age of each when its end has come. */
const listen = async (server: Server, kind: string, host: number, note: (ageMs: number) => void): Promise<Socket> => {
  const socket = await open(server.port, host)
  const stamp = `"timestamp":"`
  let held = ""
  const isOpen = kind === "tcp" ? Promise.resolve() : new Promise<void>((resolve) => {
    socket.once("data", () => resolve())
    const path = server.token === undefined ? "/" : `${socketPath}?token=${server.token}`
    socket.write([
      `GET ${path} HTTP/1.1`,
      "Host: localhost",
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      "",
      "",
    ].join("\r\n"))
  })
  await isOpen
  // Each update ends as `updateOf` does: with the braces that close it, before the next frame's head or a new line.
  socket.on("data", (chunk) => {
    held += chunk.toString("latin1")
    for (;;) {
      const at = held.indexOf(`"type":"pose_update"`)
      if (at < 0) break
      const ends = held.indexOf(`"persons_reason"`, at)
      if (ends < 0) return
      const from = held.indexOf(stamp, at) + stamp.length
      note(Date.now() - Date.parse(held.slice(from, from + 24)))
      held = held.slice(ends)
    }
    held = held.slice(-20)
  })
  if (kind === "gateway") {
    const confirmed = new Promise<void>((resolve) => {
      const look = (chunk: Uint8Array): void => {
        if (!String(chunk).includes("subscription_confirmed")) return
        socket.off("data", look)
        resolve()
      }
      socket.on("data", look)
    })
    socket.write(clientFrame(
      JSON.stringify({ type: "subscribe", channel: "pose_updates", filters: { environment_id: "living-room" } }),
    ))
    await confirmed
  }
  return socket
}

interface Delivered {
  readonly cpuUsEach: number
  readonly latencyP99Ms: number
}

/** The clients of a server, connected for good. */
interface Audience {
  readonly sockets: ReadonlyArray<Socket>
  readonly server: Server
  readonly kind: string
  /** Ages of the updates that came, in milliseconds. */
  ages: Array<number>
}

const gather = async (server: Server, kind: string): Promise<Audience> => {
  const sockets: Array<Socket> = []
  const audience: Audience = { sockets, server, kind, ages: [] }
  for (let i = 0; i < clientsMax; i++) {
    sockets.push(await listen(server, kind, 1 + (i % 100), (ageMs) => void audience.ages.push(ageMs)))
  }
  return audience
}

/** Publishes frames to all clients; what a delivery costs the server, and how late they are. */
const deliver = async (audience: Audience): Promise<Delivered> => {
  const { kind, server, sockets } = audience
  audience.ages = []
  // Who answers no ping is cut off after a minute.
  if (kind === "gateway") { for (const socket of sockets) socket.write(pong) }
  await new Promise((resolve) => setTimeout(resolve, 100))
  const before = await server.cpuUs()
  const wanted = frames * clientsMax
  server.process.stdin!.write(`${frames}\n`)
  const deadlineMs = performance.now() + 60_000
  while (audience.ages.length < wanted && performance.now() < deadlineMs) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const cpuUs = await server.cpuUs() - before
  const { ages } = audience
  if (ages.length < wanted) throw new Error(`${kind} delivered ${ages.length} of ${wanted} updates.`)
  ages.sort((a, b) => a - b)
  return { cpuUsEach: cpuUs / wanted, latencyP99Ms: ages[Math.floor(0.99 * ages.length)]! }
}

/** Those who have a turn in a round, beginning with another one each time. */
const inTurn = <A>(all: ReadonlyArray<A>, round: number): ReadonlyArray<A> =>
  all.map((_, i) => all[(i + round + all.length) % all.length]!)

const servers = new Map(
  await Promise.all(["gateway", "http", "ws", "tcp"].map(async (kind) => [kind, await start(kind)] as const)),
)
const rest = new Map<string, Array<number>>([["gateway", []], ["http", []]])
const fanOut = new Map<string, Array<Delivered>>([["gateway", []], ["ws", []], ["tcp", []]])
try {
  // The first two rounds warm up.
  for (let round = -2; round < rounds; round++) {
    for (const kind of inTurn([...rest.keys()], round + 2)) {
      const cost = await requestCost(servers.get(kind)!)
      if (round >= 0) rest.get(kind)!.push(cost)
    }
  }
  const audiences: Array<Audience> = []
  for (const kind of ["tcp", "ws", "gateway"]) audiences.push(await gather(servers.get(kind)!, kind))
  for (let round = -1; round < rounds; round++) {
    for (const audience of inTurn(audiences, round + 1)) {
      const delivered = await deliver(audience)
      if (round >= 0) fanOut.get(audience.kind)!.push(delivered)
    }
  }
} finally {
  for (const { process: child } of servers.values()) child.kill("SIGKILL")
}

/** As fast as each of them ever was: what the rest of the machine does only adds. */
const quietest = (costs: ReadonlyArray<number>, baseline: ReadonlyArray<number>): number =>
  rounded(Math.min(...baseline) / Math.min(...costs))
const speed = (costs: ReadonlyArray<number>, baseline: ReadonlyArray<number>) =>
  roundedSpread(spreadOf(costs.map((cost, round) => baseline[round]! / cost)))
const costsOf = (kind: string) => fanOut.get(kind)!.map(({ cpuUsEach }) => cpuUsEach)
const p99 = (kind: string) => fanOut.get(kind)!.map(({ latencyP99Ms }) => latencyP99Ms)
const results = {
  machine,
  latest: {
    target: "0.9 of node:http",
    overNodeHttp: speed(rest.get("gateway")!, rest.get("http")!),
    overNodeHttpQuietest: quietest(rest.get("gateway")!, rest.get("http")!),
    cpuUsEach: rounded(median(rest.get("gateway")!)),
  },
  fanOut: {
    clients: clientsMax,
    target: "0.95 of bare ws, p99 at most 1.5 of raw TCP",
    overWs: speed(costsOf("gateway"), costsOf("ws")),
    overWsQuietest: quietest(costsOf("gateway"), costsOf("ws")),
    overTcp: speed(costsOf("gateway"), costsOf("tcp")),
    cpuUsEach: rounded(median(costsOf("gateway"))),
    latencyP99Ms: Object.fromEntries([...fanOut.keys()].map((kind) => [kind, rounded(median(p99(kind)))])),
    p99OverTcp: roundedSpread(spreadOf(p99("gateway").map((ms, round) => ms / Math.max(1, p99("tcp")[round]!)))),
  },
}
console.log(JSON.stringify(results, null, 2))
writeResults("gateway", results)
process.exit(0)
