/**
 * Where `wavepose record` gets CSI from: the datagrams of the nodes at a socket of its own, or a running service.
 */
import { Clock, Effect } from "effect"
import type { Socket } from "node:dgram"
import type { Environment } from "../../protocols/domain/site.ts"
import { geometryOf } from "../../protocols/pose-api/environment-changes.ts"
import { EnvironmentDetail } from "../../protocols/pose-api/environments.ts"
import type { Destination } from "../settings/destination.ts"
import { InvalidCommand } from "../settings/invalid-command.ts"
import { DatagramBatches } from "../source/datagram-batches.ts"
import { openServiceSource } from "../source/service-batches.ts"
import { openUdpSender, openUdpSocket, type UdpAddress } from "../source/udp-socket.ts"
import { readAddress, readChannelTls } from "./grpc-edge.ts"
import { askAsUser, rejectedBy, signIn } from "./service-client.ts"
import { udpAddressOf } from "./udp-address.ts"

interface FromDatagrams {
  readonly kind: "datagrams"
  /** `host:port` that the nodes send to. */
  readonly listen: string
  /** `host:port` that receives every datagram unchanged; null: none. */
  readonly forward: string | null
  /** Null: "recorded". */
  readonly environmentId: string | null
}

interface FromService extends Destination {
  readonly kind: "service"
  readonly url: string
  /** Null: the only one of the service. */
  readonly environmentId: string | null
}

export type RecordedFrom = FromDatagrams | FromService

/** Forwards the datagrams of a socket. A datagram that cannot be sent is lost, as on any network. */
const forwardTo = Effect.fnUntraced(function* (incoming: Socket, to: UdpAddress) {
  const outgoing = yield* openUdpSender(to)
  outgoing.on("error", () => {})
  incoming.on("message", (bytes) => outgoing.send(bytes, to.port, to.host))
})

const fromDatagrams = Effect.fnUntraced(function* (options: FromDatagrams) {
  const listen = yield* udpAddressOf("--listen", options.listen)
  const forward = options.forward === null ? null : yield* udpAddressOf("--forward", options.forward)
  const batches = new DatagramBatches()
  const clock = yield* Clock.Clock
  const socket = yield* openUdpSocket(listen).pipe(
    Effect.mapError(({ message }) =>
      new InvalidCommand({
        message: `${message} If a service runs on this machine, record from it with --service.`,
      })
    ),
  )
  socket.on(
    "message",
    (bytes, { address }) => batches.add(bytes, address, Number(clock.currentTimeNanosUnsafe() / 1000n)),
  )
  if (forward !== null) yield* forwardTo(socket, forward)
  const environmentId = options.environmentId ?? "recorded"
  const environment: Environment = { environmentId, name: environmentId, geometry: null }
  return {
    batches,
    environment,
    description: { listen: `${listen.host}:${socket.address().port}` },
    ended: Effect.never,
    stop: () => void socket.removeAllListeners("message"),
  }
})

const why = "recording from a service needs the role admin."

const fromService = Effect.fnUntraced(function* (options: FromService, startUs: number) {
  const { environmentId, to, url } = options
  const address = yield* readAddress("--grpc", to)
  const { batches, ended, environmentId: recorded, stop } = yield* openServiceSource({
    ...yield* readChannelTls(options),
    address,
    environmentId,
    signIn: signIn(url, why).pipe(rejectedBy(url)),
    startUs,
  })
  const { geometry, name } = yield* askAsUser(
    url,
    why,
    `/environments/${encodeURIComponent(recorded)}`,
    EnvironmentDetail,
  )
  const environment: Environment = {
    environmentId: recorded,
    name,
    geometry: geometry === null ? null : geometryOf(geometry),
  }
  return { batches, environment, description: { service: address, environment: recorded }, ended, stop }
})

/** Opens the source. `startUs` is the beginning of the recording, microseconds since the Unix epoch. */
export const openRecordingSource = (from: RecordedFrom, startUs: number) =>
  from.kind === "service" ? fromService(from, startUs) : fromDatagrams(from)
