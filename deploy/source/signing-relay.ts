/**
 * The signing relay: receives a device's datagrams on one port, signs and forwards them. It is for devices whose firmware cannot sign,
 * and runs on the device's own machine or between the device and the service.
 *
 * Invariants: a datagram is forwarded unchanged, with a trailer. Nothing is stored, so a service that is down loses the same datagrams
 * as without the relay. A datagram that would become too long is counted and dropped.
 */
import { Data, Effect, type Scope } from "effect"
import { createSocket, type Socket } from "node:dgram"
import { trailerBytes } from "../../core/identity/signed-datagram.ts"
import type { Signer } from "../../gateways/datagrams/signature.ts"

interface UdpAddress {
  readonly host: string
  readonly port: number
}

/** Counts of datagrams so far. */
interface RelayProgress {
  signed: number
  failed: number
}

class RelayFailed extends Data.TaggedError("RelayFailed")<{ readonly message: string }> {}

/** Payload of the longest UDP datagram over IPv4. */
const datagramBytesMax = 65_507

/** Parses `host:port`, with an IPv6 address in brackets; null if invalid. */
export const readUdpAddress = (text: string): UdpAddress | null => {
  const match = /^(?:udp:\/\/)?(?:\[([0-9a-fA-F:.%a-z]+)\]|([^:/[\]]+)):(\d{1,5})$/.exec(text)
  if (match === null || Number(match[3]) > 65_535) return null
  return { host: (match[1] ?? match[2])!, port: Number(match[3]) }
}

const open = ({ host, port }: UdpAddress): Effect.Effect<Socket, RelayFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Socket, RelayFailed>((resume) => {
      const socket = createSocket(host.includes(":") ? "udp6" : "udp4")
      socket.once("error", (error) =>
        resume(Effect.fail(new RelayFailed({ message: `Cannot listen on ${host}:${port}: ${error.message}` }))))
      socket.bind(port, host, () =>
        resume(Effect.succeed(socket)))
    }),
    (socket) =>
      Effect.callback<void>((resume) => void socket.close(() => resume(Effect.void))),
  )

/** Relays until the scope closes. Returns the port on which it listens. */
export const openSigningRelay = Effect.fnUntraced(function* (
  options: { readonly listen: UdpAddress; readonly to: UdpAddress; readonly sign: Signer },
  progress: RelayProgress,
): Effect.fn.Return<number, RelayFailed, Scope.Scope> {
  const { listen, sign, to } = options
  const incoming = yield* open(listen)
  const outgoing = createSocket(to.host.includes(":") ? "udp6" : "udp4")
  yield* Effect.addFinalizer(() => Effect.callback<void>((resume) => void outgoing.close(() => resume(Effect.void))))
  outgoing.on("error", () => progress.failed++)
  incoming.removeAllListeners("error").on("error", () => progress.failed++)
  incoming.on("message", (bytes) => {
    if (bytes.length + trailerBytes > datagramBytesMax) return void progress.failed++
    outgoing.send(sign(bytes), to.port, to.host, (error) => {
      if (error === null) progress.signed++
      else progress.failed++
    })
  })
  return incoming.address().port
})
