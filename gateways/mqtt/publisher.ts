/**
 * The MQTT publisher: publishes the records that the privacy gate releases to MQTT, with Home Assistant's discovery.
 *
 * Owns the handling of the broker's messages: Home Assistant's birth message, retained announcements, and what an earlier publisher of the
 * same nodes says of them. Boundary: `publications.ts`
 * decides what is published and when; `session.ts` connects to the broker. Invariant: it ends only when the gate rejects a record or the
 * feed rejects the credentials.
 */
import { Clock, Effect, Random, Stream } from "effect"
import { type ClassRefused, EdgeFeed } from "../../protocols/ports/edge-feed.ts"
import type { MqttIncoming, MqttMessage } from "../../protocols/ports/mqtt-link.ts"
import type { StoreUnavailable } from "../../protocols/domain/failure.ts"
import type { BrokerAddress } from "./broker-address.ts"
import { Publications } from "./publications.ts"
import { makeSession, type Session } from "./session.ts"
import {
  announcedWord,
  announcements,
  availabilities,
  availableWord,
  homeStatus,
  serviceAvailability,
  type TopicNames,
} from "./topics.ts"

export interface PublisherOptions extends TopicNames {
  readonly address: BrokerAddress
  readonly caPem: string | null
  /** The version of this service, which Home Assistant shows. */
  readonly version: string
  /** How often the existing nodes are read, and how long a node must be missing before it is withdrawn. Default 30 s, 10 minutes. */
  readonly directoryCheck?: { readonly everyMs: number; readonly goneMs: number }
  /** Runs at every connection. */
  readonly onConnected: Effect.Effect<void>
  /** Runs when the connection is lost or fails, once per reason. */
  readonly onDisconnected: (reason: string) => Effect.Effect<void>
}

const tickMs = 250
const directoryCheckDefault = { everyMs: 30_000, goneMs: 600_000 } as const
/** Random delay after Home Assistant's birth message, so that devices do not all answer at once, in ms. */
const birthDelayMs = { least: 500, most: 3_000 } as const

const availability = (names: TopicNames, payload: "online" | "offline"): MqttMessage => ({
  topic: serviceAvailability(names),
  payload,
  retain: true,
  expiryS: null,
  prelude: false,
})

/** The state that the parts of the publisher share. */
interface Publisher {
  readonly options: PublisherOptions
  readonly publications: Publications
  readonly session: Session
  /** When everything is published again after a restart of Home Assistant; null: no restart is pending. */
  answerAtMs: number | null
}

/** All messages of nodes, announcements first. */
const everything = (publications: Publications) =>
  Effect.map(Clock.currentTimeMillis, (nowMs) => publications.all(nowMs))

/** Handles a message from the broker. */
const receive = Effect.fnUntraced(function* (publisher: Publisher, { kept, payload, topic }: MqttIncoming) {
  const { options, publications, session } = publisher
  if (topic === homeStatus(options)) {
    // All birth messages within the delay get one answer.
    if (payload !== "online" || publisher.answerAtMs !== null) return
    yield* Effect.logInfo("MQTT: Home Assistant restarted, announcing all nodes again")
    const delayMs = yield* Random.nextBetween(birthDelayMs.least, birthDelayMs.most)
    publisher.answerAtMs = (yield* Clock.currentTimeMillis) + delayMs
    return
  }
  const announced = kept ? announcedWord(options, topic) : null
  if (announced !== null) session.publish(publications.former(announced, payload))
  const silent = kept || payload !== "offline" ? null : availableWord(options, topic)
  if (silent !== null) session.publish(publications.contradicted(silent))
})

/** Publishes messages when they are due, and logs when messages are left out. */
const publishDue = Effect.fnUntraced(function* (publisher: Publisher): Effect.fn.Return<never> {
  const { options, publications, session } = publisher
  let logged = 0
  while (true) {
    yield* Effect.sleep(tickMs)
    const nowMs = yield* Clock.currentTimeMillis
    session.publish(publications.due(nowMs))
    if (publisher.answerAtMs !== null && nowMs >= publisher.answerAtMs) {
      publisher.answerAtMs = null
      session.publish([availability(options, "online"), ...(yield* everything(publications))])
    }
    const leftOut = publications.leftOut + session.dropped()
    if (leftOut <= logged) continue
    logged = 2 * leftOut
    yield* Effect.logWarning(`MQTT: too many nodes or topics, leaving out messages left_out=${leftOut}`)
  }
})

/** Withdraws nodes that no longer exist. */
const withdrawGone = Effect.fnUntraced(function* (
  { options, publications, session }: Publisher,
  feed: EdgeFeed["Service"],
): Effect.fn.Return<never, ClassRefused> {
  const { everyMs, goneMs } = options.directoryCheck ?? directoryCheckDefault
  while (true) {
    yield* Effect.sleep(everyMs)
    const found = yield* Effect.catchTag(feed.current("mqtt"), "StoreUnavailable", () => Effect.succeed(null))
    if (found === null) continue
    const nodeIds = found.map(({ record }) => record.nodeId)
    session.publish(publications.withdrawGone(nodeIds, yield* Clock.currentTimeMillis, goneMs))
  }
})

/** Publishes until the gate rejects a record, or the feed rejects the credentials. */
export const publishToMqtt: (
  options: PublisherOptions,
) => Effect.Effect<never, ClassRefused | StoreUnavailable, EdgeFeed> = Effect.fnUntraced(function* (options) {
  const feed = yield* EdgeFeed
  const publications = new Publications(options, options.version)
  const session = yield* makeSession({
    address: options.address,
    caPem: options.caPem,
    name: "MQTT",
    clientName: options.base,
    will: availability(options, "offline"),
    birth: availability(options, "online"),
    subscriptions: [homeStatus(options), announcements(options), availabilities(options)],
    greeting: everything(publications),
    incoming: (message) => receive(publisher, message),
    connected: options.onConnected,
    disconnected: options.onDisconnected,
    enabled: null,
  })
  const publisher: Publisher = { options, publications, session, answerAtMs: null }
  const take = Stream.runForEach(
    feed.watch("mqtt"),
    (released) => Effect.map(Clock.currentTimeMillis, (nowMs) => session.publish(publications.take(released, nowMs))),
  )
  // The first that fails ends the others.
  const parts = [take, session.run, publishDue(publisher), withdrawGone(publisher, feed)]
  yield* Effect.all(parts, { concurrency: "unbounded", discard: true })
  return yield* Effect.never
})
