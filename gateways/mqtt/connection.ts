/**
 * One connection to an MQTT broker: MQTT 5, or 3.1.1 if the broker does not support version 5.
 *
 * Owns the client of the package `mqtt`. Its reconnection and its queue are off: `session.ts` reconnects, and `outbox.ts` queues with a
 * bound. Invariant: at most `inFlightMax` messages are sent and not acknowledged.
 */
import { Data, Deferred, Effect, Queue, Redacted, type Scope } from "effect"
import { connect, type IClientOptions, type MqttClient } from "mqtt"
import { type BrokerAddress, shownAddress } from "./broker-address.ts"
import type { Outbox } from "./outbox.ts"
import type { MqttIncoming, MqttMessage } from "../../protocols/ports/mqtt-link.ts"

export type MqttVersion = 5 | 4

export interface ConnectionOptions {
  readonly address: BrokerAddress
  /** Certificate of the authority that signed the broker's, in PEM; null: the authorities that the system trusts. */
  readonly caPem: string | null
  readonly clientId: string
  readonly version: MqttVersion
  /** Published by the broker when this connection is lost. */
  readonly will: MqttMessage
  readonly subscriptions: ReadonlyArray<string>
  /** Called when an MQTT 5 broker rejects a message. */
  readonly onRefused: (topic: string, reason: string) => void
}

export interface Connection {
  /** Sends waiting messages, and continues at each acknowledgement. To be called after a message was queued. */
  readonly drain: (outbox: Outbox) => void
  readonly incoming: Queue.Dequeue<MqttIncoming>
  /** Completes when the connection is lost. */
  readonly lost: Effect.Effect<string>
  /** Sends a last message and disconnects, so that the broker does not publish the will. Waits at most a second. */
  readonly leave: (last: MqttMessage) => Effect.Effect<void>
}

/** The connection could not be opened. */
class ConnectFailed extends Data.TaggedError("ConnectFailed")<{
  /** The broker may not support this version of the protocol: try the other one. */
  readonly otherVersion: boolean
  readonly message: string
}> {}

const connectTimeoutMs = 10_000
const keepaliveS = 30
const inFlightMax = 64
const incomingMax = 8_192
const leaveTimeout = "1 second"

/** Reason codes for an unsupported protocol version: of MQTT 3.1.1 (1), and of MQTT 5 (132). */
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

/** The text of an error. It holds no credential: the library and the system name only hosts, ports and codes. */
const textOf = (error: unknown): string => error instanceof Error ? error.message || error.name : String(error)

const opened = (options: ConnectionOptions): Effect.Effect<MqttClient, ConnectFailed> =>
  Effect.callback<MqttClient, ConnectFailed>((resume) => {
    const client = connect(clientOptions(options))
    let reason: unknown = null
    client.on("error", (error) => reason = error)
    client.once("connect", () => resume(Effect.succeed(client)))
    client.once("close", () => {
      const code = typeof reason === "object" && reason !== null && "code" in reason ? reason.code : null
      // An old broker closes the connection without an answer.
      const otherVersion = reason === null || versionRefusals.includes(code)
      const text = reason === null ? "the broker closed the connection" : textOf(reason)
      client.end(true)
      resume(Effect.fail(new ConnectFailed({ otherVersion, message: `${shownAddress(options.address)}: ${text}` })))
    })
    return Effect.sync(() => client.end(true))
  })

const publishOptions = ({ expiryS, retain }: MqttMessage, version: MqttVersion) => ({
  qos: 1 as const,
  retain,
  ...(version === 5 && expiryS !== null ? { properties: { messageExpiryInterval: expiryS } } : {}),
})

/** Connects and subscribes. The connection ends with the scope. */
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
  // The connection was lost before the listener was added.
  if (!client.connected) lose()
  client.on("message", (topic, payload, { retain }) => {
    Queue.offerUnsafe(incoming, { topic, payload: payload.toString("utf8"), kept: retain })
  })
  client.subscribe([...options.subscriptions], { qos: 1 }, (error) => {
    if (error !== null) reason = `the broker rejected the subscription: ${textOf(error)}`
  })

  let inFlight = 0
  const drain = (outbox: Outbox): void => {
    while (client.connected && inFlight < inFlightMax) {
      const message = outbox.next()
      if (message === null) return
      inFlight++
      client.publish(message.topic, message.payload, publishOptions(message, options.version), (error) => {
        inFlight--
        const failed = error !== undefined && error !== null
        // A rejected message, such as one for a forbidden topic, would be rejected again. Only a lost connection repeats a message.
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
