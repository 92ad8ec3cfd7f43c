/** Addresses of datagrams in the command line. */
import { Effect } from "effect"
import { InvalidArguments } from "../settings/invalid-command.ts"
import { readUdpAddress, type UdpAddress } from "../source/udp-socket.ts"

/** The address that a flag names. */
export const udpAddressOf = (flag: string, text: string): Effect.Effect<UdpAddress, InvalidArguments> =>
  Effect.fromNullishOr(readUdpAddress(text)).pipe(
    Effect.mapError(() => new InvalidArguments({ message: `${flag} is "${text}", but must be host:port.` })),
  )
