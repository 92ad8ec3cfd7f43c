/**
 * A session with a broker: it stays connected while it runs, over any number of connections.
 *
 * Owns back-off with jitter, the protocol version, and the messages at the beginning of a connection. Boundary: one connection is in
 * `connection.ts`, waiting messages are in `outbox.ts`. Invariants:
 * 1. An unavailable broker is retried without end, at most 1.5 times `backOffMsMax` apart.
 * 2. Every connection begins with the birth and the greeting, which contains the whole current state, so that only superseded messages are lost.
 * 3. The will of an earlier publisher, which may come late, does not last: the birth is published again after it.
 */
import { Clock, Effect, FiberSet, Queue, Random, Schedule } from "effect"
import type { MqttIncoming, MqttMessage } from "../../protocols/ports/mqtt-link.ts"
import { shownAddress } from "./broker-address.ts"
import { type Connection, type ConnectionOptions, type MqttVersion, openConnection } from "./connection.ts"
import { Outbox } from "./outbox.ts"

interface SessionOptions extends Pick<ConnectionOptions, "address" | "caPem" | "will" | "subscriptions"> {
  /** Name of the session in logs. */
  readonly name: string
  /** Prefix of the MQTT client id. */
  readonly clientName: string
  /** Says on the topic of the will that this publisher is there. */
  readonly birth: MqttMessage
  /** The messages at the beginning of every connection, after the birth. */
  readonly greeting: Effect.Effect<ReadonlyArray<MqttMessage>>
  /** Handles the broker's messages, one after the other. */
  readonly incoming: (message: MqttIncoming) => Effect.Effect<void>
  /** Runs at every connection, after its greeting. */
  readonly connected: Effect.Effect<void>
  /** Runs when the connection is lost or fails, once per reason. */
  readonly disconnected: (reason: string) => Effect.Effect<void>
  /** Whether the session is to be connected; polled. Null: always. */
  readonly enabled: Effect.Effect<boolean> | null
}

export interface Session {
  /** Publishes the newest message of each topic, now or once connected. */
  readonly publish: (messages: ReadonlyArray<MqttMessage>) => void
  /** Messages that were dropped because the outbox was full. */
  readonly dropped: () => number
  /** Stays connected. */
  readonly run: Effect.Effect<never>
}

const backOffMsMin = 500
const backOffMsMax = 30_000
/** A connection of this duration resets the back-off. */
const steadyMs = 10_000
const pollInterval = "2 seconds"

/** The state that the connections of a session share. */
interface Shared {
  readonly options: SessionOptions
  readonly clientId: string
  readonly outbox: Outbox
  connection: Connection | null
}

/** Polls until the answer is `wanted`. */
const until = (asked: Effect.Effect<boolean>, wanted: boolean) =>
  Effect.repeat(asked, { until: (answer) => answer === wanted, schedule: Schedule.spaced(pollInterval) })

/** Runs one connection. Returns why it ended and how long it lasted. */
const connectOnce = (shared: Shared, version: MqttVersion) =>
  Effect.scoped(Effect.gen(function* () {
    const { clientId, options, outbox } = shared
    const { address, birth, caPem, enabled, name, will } = options
    const log = yield* FiberSet.makeRuntime()
    let refused = 0
    const connection = yield* openConnection({
      ...{ address, caPem, clientId, version, will },
      subscriptions: [...options.subscriptions, will.topic],
      onRefused: (topic, reason) => {
        // Logged once per connection, because the broker's settings are the cause.
        if (refused++ > 0) return
        log(Effect.logWarning(`${name}: broker rejected a message topic=${topic} reason="${reason}"`))
      },
    })
    const beganMs = yield* Clock.currentTimeMillis
    yield* Effect.acquireRelease(
      Effect.sync(() => shared.connection = connection),
      () =>
        Effect.sync(() => {
          shared.connection = null
          outbox.lost()
        }),
    )
    // A clean end publishes the will itself: the broker publishes it only for a lost connection.
    yield* Effect.addFinalizer(() => connection.leave(will))
    yield* Effect.logInfo(`${name}: connected broker=${shownAddress(address)} version=${version === 5 ? "5" : "3.1.1"}`)
    outbox.put(birth)
    for (const message of yield* options.greeting) outbox.put(message)
    connection.drain(outbox)
    yield* options.connected
    const take = Effect.fnUntraced(function* (message: MqttIncoming) {
      if (message.topic !== will.topic) return yield* options.incoming(message)
      // The broker had a retained one before the birth.
      if (message.kept || message.payload !== will.payload) return
      outbox.put(birth)
      connection.drain(outbox)
    })
    yield* Effect.forkScoped(Effect.forever(Effect.flatMap(Queue.take(connection.incoming), take)))
    const reason = yield* enabled === null
      ? connection.lost
      : Effect.raceFirst(connection.lost, Effect.as(until(enabled, false), "it was switched off"))
    return { reason, heldMs: (yield* Clock.currentTimeMillis) - beganMs }
  }))

const stayConnected = Effect.fnUntraced(function* (shared: Shared): Effect.fn.Return<never> {
  const { enabled, name } = shared.options
  let version: MqttVersion = 5
  let backOffMs = backOffMsMin
  let logged: string | null = null
  while (true) {
    if (enabled !== null) yield* until(enabled, true)
    const ended = yield* connectOnce(shared, version).pipe(Effect.catch(Effect.succeed))
    if ("heldMs" in ended) {
      logged = null
      if (ended.heldMs >= steadyMs) backOffMs = backOffMsMin
    } else if (ended.otherVersion) version = version === 5 ? 4 : 5
    const reason = "heldMs" in ended ? `the connection was lost: ${ended.reason}` : `no connection: ${ended.message}`
    // A repeated reason is logged once.
    if (reason !== logged) {
      yield* Effect.logWarning(`${name}: ${reason}; trying again`)
      yield* shared.options.disconnected(reason)
    }
    logged = reason
    yield* Effect.sleep(backOffMs * (0.5 + (yield* Random.next)))
    backOffMs = Math.min(2 * backOffMs, backOffMsMax)
  }
})

/** A session that connects when it is run. */
export const makeSession = (options: SessionOptions): Effect.Effect<Session> =>
  Effect.map(Random.nextIntBetween(0, 36 ** 8), (suffix): Session => {
    const clientId = `${options.clientName}-${suffix.toString(36).padStart(8, "0")}`
    const shared: Shared = { options, clientId, outbox: new Outbox(), connection: null }
    return {
      publish: (messages) => {
        for (const message of messages) shared.outbox.put(message)
        shared.connection?.drain(shared.outbox)
      },
      dropped: () => shared.outbox.dropped,
      run: stayConnected(shared),
    }
  })
