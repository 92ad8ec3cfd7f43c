/** Addresses and hosts of this machine alone. */
import { isIP } from "node:net"

/** Whether an address is this machine's loopback. A name is not one. */
export const isLoopbackAddress = (address: string): boolean =>
  address === "::1" || (isIP(address) === 4 && address.startsWith("127."))

/** Whether a host, without brackets, is this machine's loopback. A name other than `localhost` is not, whatever it resolves to. */
export const isLoopbackHost = (host: string): boolean => host === "localhost" || isLoopbackAddress(host)
