/** Hosts of this machine alone. */
import { isIP } from "node:net"

/** Whether a host, without brackets, is this machine's loopback. A name other than `localhost` is not, whatever it resolves to. */
export const isLoopbackHost = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."))
