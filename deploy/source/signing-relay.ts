/**
 * The signing relay: receives a device's datagrams on one port, signs and forwards them. It is for devices whose firmware cannot sign,
 * and runs on the device's own machine or between the device and the service.
 *
 * Invariants: a datagram is forwarded unchanged, with a trailer. Nothing is stored, so a service that is down loses the same datagrams
 * as without the relay. A datagram that would become too long is counted and dropped.
 */
import { Effect, type Scope } from "effect"
import { trailerBytes } from "../../core/identity/signed-datagram.ts"
import type { Signer } from "../../gateways/datagrams/signature.ts"
import { openUdpSender, openUdpSocket, type UdpAddress, type UdpFailed } from "./udp-socket.ts"

/** Counts of datagrams so far. */
interface RelayProgress {
  signed: number
  failed: number
}

/** Payload of the longest UDP datagram over IPv4. */
const datagramBytesMax = 65_507

/** Relays until the scope closes. Returns the port on which it listens. */
export const openSigningRelay = Effect.fnUntraced(function* (
  options: { readonly listen: UdpAddress; readonly to: UdpAddress; readonly sign: Signer },
  progress: RelayProgress,
): Effect.fn.Return<number, UdpFailed, Scope.Scope> {
  const { listen, sign, to } = options
  const incoming = yield* openUdpSocket(listen)
  const outgoing = yield* openUdpSender(to)
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
