/** Binds a TCP server to its address. */
import { Effect } from "effect"
import type { AddressInfo, Server } from "node:net"

/** Listens; port 0 takes a free one. Fails with the system's error: the address is in use, not permitted, or not of this machine. */
export const bind = (
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Effect.Effect<AddressInfo, Error> =>
  Effect.callback((resume) => {
    server.once("error", (error) => resume(Effect.fail(error)))
    server.listen(port, host, () => resume(Effect.succeed(server.address() as AddressInfo)))
  })
