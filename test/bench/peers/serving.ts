/**
 * A server of the gateway bench, in a process of its own: the pose gateway itself, or what it is compared with.
 *
 *     serving.ts gateway|http|ws|tcp
 *
 * Prints a line of JSON with its port and, for the gateway, a token. `http` answers every GET with a stringified pose frame; `ws` is the
 * package alone and `tcp` writes to bare sockets. What the last three send to all of their clients, and the gateway publishes, comes when a
 * number arrives on the standard input: so many frames, `intervalMs` apart. The line `cpu` is answered with the CPU time of the process so far.
 */
import { createServer } from "node:http"
import { createServer as createTcpServer, type Socket } from "node:net"
import { createInterface } from "node:readline"
import { WebSocketServer } from "ws"
import { startGateway } from "../../gateways/pose/harness.ts"
import { bodyNow, frameNow, updateOf } from "./fan-out.ts"

/** Between two frames: 30 a second. */
const intervalMs = 1000 / 30

const kinds = ["gateway", "http", "ws", "tcp"] as const

/** What a kind does with a frame for everybody. */
type Publish = (frameId: number) => void

const ready = (reported: Record<string, unknown>): void => console.log(JSON.stringify(reported))

const listening = (server: { address: () => unknown }): number => (server.address() as { port: number }).port

const serve: Record<(typeof kinds)[number], () => Promise<Publish>> = {
  gateway: async () => {
    // Five hundred clients of one account, as many addresses as the client has.
    const gateway = await startGateway({ limits: null })
    const shared = frameNow(1)
    gateway.world.latest = () => shared
    ready({ port: gateway.port, token: await gateway.token("viewer") })
    return (frameId) => gateway.world.publish(frameNow(frameId))
  },
  http: async () => {
    const body = bodyNow()
    const server = createServer((_, response) => {
      const text = JSON.stringify(body)
      response.writeHead(200, {
        "Content-Type": "application/json; charset=utf-8",
        "Content-Length": Buffer.byteLength(text),
      }).end(text)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    ready({ port: listening(server) })
    return () => {}
  },
  ws: async () => {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false })
    await new Promise((resolve) => server.once("listening", resolve))
    ready({ port: listening(server) })
    return (frameId) => {
      const text = updateOf(frameNow(frameId))
      for (const client of server.clients) client.send(text)
    }
  },
  tcp: async () => {
    const sockets = new Set<Socket>()
    const server = createTcpServer((socket) => sockets.add(socket.setNoDelay(true)))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    ready({ port: listening(server) })
    return (frameId) => {
      const bytes = Buffer.from(`${updateOf(frameNow(frameId))}\n`)
      for (const socket of sockets) socket.write(bytes)
    }
  },
}

const publish = await serve[process.argv[2] as (typeof kinds)[number]]()
createInterface({ input: process.stdin }).on("line", (line) => {
  if (line === "cpu") {
    const { system, user } = process.cpuUsage()
    return ready({ cpuUs: system + user })
  }
  const frames = Number(line)
  let sent = 0
  const timer = setInterval(() => {
    publish(++sent)
    if (sent === frames) clearInterval(timer)
  }, intervalMs)
})
