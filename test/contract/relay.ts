/** A relay to a port, which can drop all of its connections. */
import { connect, createServer, type Socket } from "node:net"

export const startRelay = async (target: string) => {
  const [host, port] = target.split(":")
  const sockets = new Set<Socket>()
  let accepted = 0
  const server = createServer((client) => {
    accepted++
    const upstream = connect(Number(port), host)
    for (const [one, other] of [[client, upstream], [upstream, client]] as const) {
      sockets.add(one)
      one.on("error", () => {})
      one.on("close", () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const address = server.address()
  return {
    address: `127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    accepted: () => accepted,
    /** Returns whether there was a connection. One that is closing is not there, although its `close` comes later. */
    drop: () => {
      const some = sockets.size > 0
      sockets.forEach((socket) => socket.destroy())
      sockets.clear()
      return some
    },
    stop: () => {
      sockets.forEach((socket) => socket.destroy())
      server.close()
    },
  }
}
