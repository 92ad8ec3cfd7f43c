/** A link to a database that a test watches, slows down to single bytes, or cuts. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** One connection that a test watches. */
export interface Link {
  /** COPYs that have begun to send rows to the server, and the bytes sent since the first. */
  copies: number
  copiedBytes: number
  readonly cut: () => void
}

export interface DatabaseLink {
  readonly url: string
  readonly links: ReadonlyArray<Link>
  /** Lets no byte pass, in either direction, while the connections stay open; then all that waited. */
  readonly stall: () => void
  readonly resume: () => void
  /** Delays all bytes by this time. */
  readonly delay: (ms: number) => void
  /** Ends all connections and refuses new ones, until it is joined again. */
  readonly cut: () => void
  readonly join: () => void
  /** Ends all connections and leads new ones to another server. */
  readonly leadTo: (url: string) => void
  readonly stop: () => Promise<void>
}

interface LinkOptions {
  /** Called with bytes for the server, before they are sent. */
  readonly onSent?: (link: Link, bytes: Buffer) => void
  /** The size in bytes of the pieces in which the server's answers arrive. */
  readonly pieceBytes?: number
}

/** How often bytes of a slow link are delivered. */
const deliverEveryMs = 5
/** The header of a binary COPY. */
const signature = Buffer.from("PGCOPY\n\xff\r\n\0", "latin1")

/** Listens as a proxy of the server of a URL. */
export const linkTo = async (url: string, { onSent, pieceBytes }: LinkOptions = {}): Promise<DatabaseLink> => {
  const target = new URL(url)
  const endpointOf = ({ hostname, port }: URL) => ({ host: hostname, port: Number(port), noDelay: true })
  let endpoint = endpointOf(target)
  const links: Array<Link> = []
  const sockets = new Set<Socket>()
  let delayMs = 0
  let stalled = false
  let isCut = false
  /** Bytes on a slow link, in the order of their time. */
  const onTheWay: Array<{ readonly dueMs: number; readonly to: Socket; readonly bytes: Buffer }> = []
  const deliver = setInterval(() => {
    while (onTheWay.length > 0 && onTheWay[0]!.dueMs <= performance.now()) {
      const { bytes, to } = onTheWay.shift()!
      if (!to.destroyed) to.write(bytes)
    }
  }, deliverEveryMs)
  const send = (to: Socket, bytes: Buffer): void => {
    if (delayMs > 0 || onTheWay.length > 0) onTheWay.push({ dueMs: performance.now() + delayMs, to, bytes })
    else if (!to.destroyed) to.write(bytes)
  }
  const server = createServer((client) => {
    if (isCut) return void client.resetAndDestroy()
    const upstream = connect(endpoint)
    const cut = () => {
      client.destroy()
      upstream.destroy()
    }
    const link: Link = { copies: 0, copiedBytes: 0, cut }
    links.push(link)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      if (stalled) socket.pause()
      socket.on("error", cut)
      socket.on("close", cut)
    }
    client.on("data", (bytes: Buffer) => {
      if (bytes.includes(signature)) link.copies++
      if (link.copies > 0) link.copiedBytes += bytes.length
      onSent?.(link, bytes)
      send(upstream, bytes)
    })
    upstream.on("data", (bytes: Buffer) => {
      const piece = pieceBytes ?? bytes.length
      for (let at = 0; at < bytes.length; at += piece) send(client, bytes.subarray(at, at + piece))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  target.port = String((server.address() as AddressInfo).port)
  return {
    url: target.href,
    links,
    stall: () => {
      stalled = true
      for (const socket of sockets) socket.pause()
    },
    resume: () => {
      stalled = false
      for (const socket of sockets) socket.resume()
    },
    delay: (ms) => void (delayMs = ms),
    cut: () => {
      isCut = true
      for (const { cut } of links) cut()
    },
    join: () => void (isCut = false),
    leadTo: (url) => {
      endpoint = endpointOf(new URL(url))
      for (const { cut } of links) cut()
    },
    stop: () => {
      clearInterval(deliver)
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
