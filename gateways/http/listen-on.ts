/** How an edge over TCP takes its address. */
import { Effect } from "effect"
import type { AddressInfo, Server } from "node:net"

/** Listens, on a free port where it is 0. Fails with the error of the system: the address is taken, not allowed or not ours. */
export const bind = (
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Effect.Effect<AddressInfo, Error> =>
  Effect.callback((resume) => {
    server.once("error", (error) => resume(Effect.fail(error)))
    server.listen(port, host, () => resume(Effect.succeed(server.address() as AddressInfo)))
  })
