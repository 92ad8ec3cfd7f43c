/**
 * A session with a broker: connected for as long as it runs, be it over many connections.
 *
 * Owns back-off with jitter, the version of the protocol, and what is said at the beginning of a connection. Boundary: one connection is
 * `connection.ts`, what waits `outbox.ts`. Invariants:
 * 1. A broker that is away is tried again for ever, with `backOffMsMax` and half as much again between two tries at most.
 * 2. Every connection begins with the greeting, which is to say everything that holds, so that nothing is lost but what is superseded.
 */
import { Clock, Effect, FiberSet, Queue, Random, Schedule } from "effect"
import type { MqttIncoming, MqttMessage } from "../../protocols/ports/mqtt-link.ts"
import { shownAddress } from "./broker-address.ts"
import { type Connection, type ConnectionOptions, type MqttVersion, openConnection } from "./connection.ts"
import { Outbox } from "./outbox.ts"

interface SessionOptions extends Pick<ConnectionOptions, "address" | "caPem" | "will" | "subscriptions"> {
  /** For the log. */
  readonly name: string
  /** Begins the id by which the broker knows it. */
  readonly clientName: string
  /** What is said at the beginning of every connection. */
  readonly greeting: Effect.Effect<ReadonlyArray<MqttMessage>>
  /** Told of the broker's messages, one after the other. */
  readonly incoming: (message: MqttIncoming) => Effect.Effect<void>
  /** Told of every connection, after its greeting. */
  readonly connected: Effect.Effect<void>
  /** Told why there is no connection, once a reason. */
  readonly disconnected: (reason: string) => Effect.Effect<void>
  /** Whether it is to be connected at all; asked again and again. Null: always. */
  readonly enabled: Effect.Effect<boolean> | null
}

export interface Session {
  /** Of each topic the newest message goes out, now or when there is a connection. */
  readonly publish: (messages: ReadonlyArray<MqttMessage>) => void
  /** Messages for which there was no place. */
  readonly dropped: () => number
  /** Stays connected. */
  readonly run: Effect.Effect<never>
}

const backOffMsMin = 500
const backOffMsMax = 30_000
/** A connection that held for so long begins the back-off anew. */
const steadyMs = 10_000
const askEvery = "2 seconds"

/** What the connections of a session share. */
interface Shared {
  readonly options: SessionOptions
  readonly clientId: string
  readonly outbox: Outbox
  connection: Connection | null
}

/** Asks until the answer is this. */
const until = (asked: Effect.Effect<boolean>, wanted: boolean) =>
  Effect.repeat(asked, { until: (answer) => answer === wanted, schedule: Schedule.spaced(askEvery) })

/** One connection: answers why it ended, and how long it held. */
const connectOnce = (shared: Shared, version: MqttVersion) =>
  Effect.scoped(Effect.gen(function* () {
    const { clientId, options, outbox } = shared
    const { address, caPem, enabled, name, subscriptions, will } = options
    const log = yield* FiberSet.makeRuntime()
    let refused = 0
    const connection = yield* openConnection({
      ...{ address, caPem, clientId, version, will, subscriptions },
      onRefused: (topic, reason) => {
        // Once a connection: it is a matter of the broker's settings.
        if (refused++ > 0) return
        log(Effect.logWarning(`${name}: the broker does not take what is published on ${topic}: ${reason}`))
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
    // Who ends says so itself: the broker publishes the will of the dead alone.
    yield* Effect.addFinalizer(() => connection.leave(will))
    yield* Effect.logInfo(`${name}: connected to ${shownAddress(address)} by MQTT ${version === 5 ? "5" : "3.1.1"}`)
    for (const message of yield* options.greeting) outbox.put(message)
    connection.drain(outbox)
    yield* options.connected
    yield* Effect.forkScoped(Effect.forever(Effect.flatMap(Queue.take(connection.incoming), options.incoming)))
    const reason = yield* enabled === null
      ? connection.lost
      : Effect.raceFirst(connection.lost, Effect.as(until(enabled, false), "it was switched off"))
    return { reason, heldMs: (yield* Clock.currentTimeMillis) - beganMs }
  }))

const stayConnected = Effect.fnUntraced(function* (shared: Shared): Effect.fn.Return<never> {
  const { enabled, name } = shared.options
  let version: MqttVersion = 5
  let backOffMs = backOffMsMin
  let said: string | null = null
  while (true) {
    if (enabled !== null) yield* until(enabled, true)
    const ended = yield* connectOnce(shared, version).pipe(Effect.catch(Effect.succeed))
    if ("heldMs" in ended) {
      said = null
      if (ended.heldMs >= steadyMs) backOffMs = backOffMsMin
    } else if (ended.otherVersion) version = version === 5 ? 4 : 5
    const reason = "heldMs" in ended ? `the connection was lost: ${ended.reason}` : `no connection: ${ended.message}`
    // The same reason again and again is said once.
    if (reason !== said) {
      yield* Effect.logWarning(`${name}: ${reason}; it is tried again`)
      yield* shared.options.disconnected(reason)
    }
    said = reason
    yield* Effect.sleep(backOffMs * (0.5 + (yield* Random.next)))
    backOffMs = Math.min(2 * backOffMs, backOffMsMax)
  }
})

/** A session that begins when it is run. */
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
