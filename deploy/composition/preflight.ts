/**
 * Checks before the service starts: a port in use ends the start at once, before the database opens.
 *
 * Another program may still take a port after the check. The listener then reports it.
 */
import { Effect } from "effect"
import { createSocket } from "node:dgram"
import { createServer } from "node:net"
import { InvalidCommand } from "../settings/invalid-command.ts"
import type { Settings } from "../settings/settings.ts"

interface Place {
  readonly protocol: "tcp" | "udp"
  readonly host: string
  readonly port: number
  /** The variables that set the ports. */
  readonly variable: string
}

/** The ports that a node with these settings listens on. */
const placesOf = (settings: Settings): ReadonlyArray<Place> => {
  const { host } = settings
  const gateway: ReadonlyArray<Place> = [
    { protocol: "tcp", host, port: settings.port, variable: "WAVEPOSE_PORT" },
    { protocol: "tcp", host, port: settings.grpcPort, variable: "WAVEPOSE_GRPC_PORT" },
    { protocol: "tcp", host, port: settings.home.port, variable: "WAVEPOSE_HOME_PORT" },
    { protocol: "udp", host, port: settings.udpPort, variable: "WAVEPOSE_UDP_PORT" },
    { protocol: "udp", host, port: settings.nexmonPort, variable: "WAVEPOSE_NEXMON_PORT" },
  ]
  return settings.roles.includes("gateway") ? gateway.filter(({ port }) => port !== 0) : []
}

/** The error of an attempt to listen; null if it works. The port is free again afterwards. */
const attempt = ({ host, port, protocol }: Place): Promise<NodeJS.ErrnoException | null> =>
  new Promise((resolve) => {
    if (protocol === "tcp") {
      const server = createServer()
      server.once("error", resolve)
      server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)))
      return
    }
    const socket = createSocket(host.includes(":") ? "udp6" : "udp4")
    socket.once("error", (error) => {
      socket.close()
      resolve(error)
    })
    socket.bind({ address: host, port, exclusive: true }, () => socket.close(() => resolve(null)))
  })

const reasonOf = ({ code, message }: NodeJS.ErrnoException): string =>
  code === "EADDRINUSE" || /address already in use/i.test(message) ? "is in use" : `cannot be used (${message})`

/** Fails with one line that names every unusable port. */
export const checkPorts = Effect.fnUntraced(function* (settings: Settings): Effect.fn.Return<void, InvalidCommand> {
  const faults: Array<string> = []
  for (const place of placesOf(settings)) {
    const error = yield* Effect.promise(() => attempt(place))
    if (error === null) continue
    faults.push(`${place.protocol.toUpperCase()} ${place.host}:${place.port} ${reasonOf(error)} (${place.variable})`)
  }
  if (faults.length === 0) return
  return yield* new InvalidCommand({
    message: `${faults.join("; ")}. Stop the program that listens there, or set the variables to other ports.`,
  })
})
