/**
 * One connection to an MQTT broker, from its beginning to its end: MQTT 5, or 3.1.1 where the broker does not know it.
 *
 * Owns the client of the package `mqtt`, which here neither connects again nor keeps messages: both are done by `session.ts` and
 * `outbox.ts`, with a bound. Invariant: at most `underWayMax` messages are sent and not acknowledged.
 */
import { Data, Deferred, Effect, Queue, Redacted, type Scope } from "effect"
import { connect, type IClientOptions, type MqttClient } from "mqtt"
import { type BrokerAddress, shownAddress } from "./broker-address.ts"
import type { Outbox } from "./outbox.ts"
import type { MqttIncoming, MqttMessage } from "../../protocols/ports/mqtt-link.ts"

export type MqttVersion = 5 | 4

export interface ConnectionOptions {
  readonly address: BrokerAddress
  /** Certificate of the authority that signed the broker's, in PEM; null: those that the system trusts. */
  readonly caPem: string | null
  readonly clientId: string
  readonly version: MqttVersion
  /** Published by the broker when this connection breaks. */
  readonly will: MqttMessage
  readonly subscriptions: ReadonlyArray<string>
  /** The broker, which speaks MQTT 5, does not take a message. */
  readonly onRefused: (topic: string, reason: string) => void
}

export interface Connection {
  /** Sends what waits, and goes on whenever something is acknowledged; to be called when something was put. */
  readonly drain: (outbox: Outbox) => void
  readonly incoming: Queue.Dequeue<MqttIncoming>
  /** Completes when the connection is lost. */
  readonly lost: Effect.Effect<string>
  /** Sends a last message and leaves, so that the broker does not publish the will; waits a second at most. */
  readonly leave: (last: MqttMessage) => Effect.Effect<void>
}

/** No connection was made. */
class ConnectFailed extends Data.TaggedError("ConnectFailed")<{
  /** The broker may not know this version of the protocol. */
  readonly otherVersion: boolean
  readonly message: string
}> {}

const connectTimeoutMs = 10_000
const keepaliveS = 30
const underWayMax = 64
const incomingMax = 8_192
const leaveTimeout = "1 second"

/** Answers of a broker that does not speak the version: of MQTT 3.1.1 (1), and of MQTT 5 (132). */
const versionRefusals: ReadonlyArray<unknown> = [1, 132]

const clientOptions = (options: ConnectionOptions): IClientOptions => {
  const { address, caPem, clientId, version, will } = options
  const { host, password, port, tls, username } = address
  return {
    host,
    port,
    protocol: tls ? "mqtts" : "mqtt",
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password: Redacted.value(password) }),
    ...(caPem === null ? {} : { ca: caPem }),
    clientId,
    protocolVersion: version,
    clean: true,
    keepalive: keepaliveS,
    connectTimeout: connectTimeoutMs,
    reconnectPeriod: 0,
    queueQoSZero: false,
    timerVariant: "native",
    will: { topic: will.topic, payload: Buffer.from(will.payload), qos: 1, retain: will.retain },
  }
}

/** Why a client gave up, without a credential: the library's own words and the system's are of hosts, ports and codes. */
const textOf = (error: unknown): string => error instanceof Error ? error.message || error.name : String(error)

const opened = (options: ConnectionOptions): Effect.Effect<MqttClient, ConnectFailed> =>
  Effect.callback<MqttClient, ConnectFailed>((resume) => {
    const client = connect(clientOptions(options))
    let reason: unknown = null
    client.on("error", (error) => reason = error)
    client.once("connect", () => resume(Effect.succeed(client)))
    client.once("close", () => {
      const code = typeof reason === "object" && reason !== null && "code" in reason ? reason.code : null
      // A broker of long ago just hangs up.
      const otherVersion = reason === null || versionRefusals.includes(code)
      const said = reason === null ? "the broker closed the connection" : textOf(reason)
      client.end(true)
      resume(Effect.fail(new ConnectFailed({ otherVersion, message: `${shownAddress(options.address)}: ${said}` })))
    })
    return Effect.sync(() => client.end(true))
  })

const publishOptions = ({ expiryS, retain }: MqttMessage, version: MqttVersion) => ({
  qos: 1 as const,
  retain,
  ...(version === 5 && expiryS !== null ? { properties: { messageExpiryInterval: expiryS } } : {}),
})

/** Connects, and subscribes; the connection ends with the scope. */
export const openConnection = Effect.fnUntraced(function* (
  options: ConnectionOptions,
): Effect.fn.Return<Connection, ConnectFailed, Scope.Scope> {
  const client = yield* Effect.acquireRelease(
    opened(options),
    (client) => Effect.sync(() => void client.end(true)),
    { interruptible: true },
  )
  const lost = Deferred.makeUnsafe<string>()
  const incoming = yield* Queue.dropping<MqttIncoming>(incomingMax)
  let reason = "the broker closed the connection"
  client.on("error", (error) => reason = textOf(error))
  const lose = () => Deferred.doneUnsafe(lost, Effect.succeed(reason))
  client.on("close", lose)
  // Lost before anybody listened.
  if (!client.connected) lose()
  client.on("message", (topic, payload, { retain }) => {
    Queue.offerUnsafe(incoming, { topic, payload: payload.toString("utf8"), kept: retain })
  })
  client.subscribe([...options.subscriptions], { qos: 1 }, (error) => {
    if (error !== null) reason = `it does not let us subscribe: ${textOf(error)}`
  })

  let underWay = 0
  const drain = (outbox: Outbox): void => {
    while (client.connected && underWay < underWayMax) {
      const message = outbox.next()
      if (message === null) return
      underWay++
      client.publish(message.topic, message.payload, publishOptions(message, options.version), (error) => {
        underWay--
        const failed = error !== undefined && error !== null
        // What the broker refuses (a topic that is not ours to write) would be refused again: only a lost connection repeats it.
        if (!failed || client.connected) outbox.acknowledged(message)
        if (failed && client.connected) options.onRefused(message.topic, textOf(error))
        drain(outbox)
      })
    }
  }

  return {
    drain,
    incoming,
    lost: Deferred.await(lost),
    leave: (last) =>
      Effect.callback<void>((resume) => {
        const end = () => void client.end(false, () => resume(Effect.void))
        if (client.connected) client.publish(last.topic, last.payload, publishOptions(last, options.version), end)
        else resume(Effect.void)
      }).pipe(Effect.interruptible, Effect.timeoutOrElse({ duration: leaveTimeout, orElse: () => Effect.void })),
  }
})
