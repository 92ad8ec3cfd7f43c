/** A link to a database that a test watches, slows down to single bytes, or cuts. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** One connection, as a test that watches it sees it. */
export interface Link {
  /** COPYs whose rows began to go to the server, and bytes that went since the first. */
  copies: number
  copiedBytes: number
  readonly cut: () => void
}

export interface DatabaseLink {
  readonly url: string
  readonly links: ReadonlyArray<Link>
  readonly stop: () => Promise<void>
}

interface LinkOptions {
  /** Called with what goes to the server, before it goes there. */
  readonly onSent?: (link: Link, bytes: Buffer) => void
  /** What the server answers comes in pieces of so many bytes. */
  readonly pieceBytes?: number
}

/** What the rows of a binary COPY begin with. */
const signature = Buffer.from("PGCOPY\n\xff\r\n\0", "latin1")

/** Listens before the server of a URL. */
export const linkTo = async (url: string, { onSent, pieceBytes }: LinkOptions = {}): Promise<DatabaseLink> => {
  const target = new URL(url)
  const endpoint = { host: target.hostname, port: Number(target.port), noDelay: true }
  const links: Array<Link> = []
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(endpoint)
    const cut = () => {
      client.destroy()
      upstream.destroy()
    }
    const link: Link = { copies: 0, copiedBytes: 0, cut }
    links.push(link)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on("error", cut)
      socket.on("close", cut)
    }
    client.on("data", (bytes: Buffer) => {
      if (bytes.includes(signature)) link.copies++
      if (link.copies > 0) link.copiedBytes += bytes.length
      onSent?.(link, bytes)
      if (!upstream.destroyed) upstream.write(bytes)
    })
    upstream.on("data", (bytes: Buffer) => {
      const piece = pieceBytes ?? bytes.length
      for (let at = 0; at < bytes.length; at += piece) client.write(bytes.subarray(at, at + piece))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  target.port = String((server.address() as AddressInfo).port)
  return {
    url: target.href,
    links,
    stop: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
