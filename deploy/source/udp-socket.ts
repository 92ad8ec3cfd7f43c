/**
 * UDP sockets of commands that relay or record datagrams.
 */
import { Data, Effect, type Scope } from "effect"
import { createSocket, type Socket } from "node:dgram"

export interface UdpAddress {
  readonly host: string
  readonly port: number
}

/** The address is in use, or not of this machine. */
export class UdpFailed extends Data.TaggedError("UdpFailed")<{ readonly message: string }> {}

/** Parses `host:port`, with an IPv6 address in brackets; null if invalid. */
export const readUdpAddress = (text: string): UdpAddress | null => {
  const match = /^(?:udp:\/\/)?(?:\[([0-9a-fA-F:.%a-z]+)\]|([^:/[\]]+)):(\d{1,5})$/.exec(text)
  if (match === null || Number(match[3]) > 65_535) return null
  return { host: (match[1] ?? match[2])!, port: Number(match[3]) }
}

const typeOf = ({ host }: UdpAddress) => host.includes(":") ? "udp6" : "udp4"

const close = (socket: Socket): Effect.Effect<void> =>
  Effect.callback<void>((resume) => void socket.close(() => resume(Effect.void)))

/** Listens until the scope closes. */
export const openUdpSocket = (address: UdpAddress): Effect.Effect<Socket, UdpFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Socket, UdpFailed>((resume) => {
      const { host, port } = address
      const socket = createSocket(typeOf(address))
      socket.once("error", (error) => {
        const why = /EADDRINUSE|in use/i.test(error.message) ? "the address is in use" : error.message
        resume(Effect.fail(new UdpFailed({ message: `Cannot listen on ${host}:${port}: ${why}.` })))
      })
      socket.bind(port, host, () => resume(Effect.succeed(socket)))
    }),
    close,
  )

/** A socket that sends to addresses like this one, until the scope closes. */
export const openUdpSender = (to: UdpAddress): Effect.Effect<Socket, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.sync(() => createSocket(typeOf(to))), close)
