/**
 * The MQTT publisher: what the privacy gate releases to MQTT, published so that Home Assistant finds it by itself.
 *
 * Owns the answers to the broker's messages: Home Assistant's birth, and what an earlier life has announced. Boundary: what is published,
 * and when, is decided by `publications.ts`; the broker is reached by `session.ts`. Invariant: it ends only with the gate's refusal or
 * when the feed lets nobody in.
 */
import { Clock, Effect, Random, Stream } from "effect"
import { type ClassRefused, EdgeFeed } from "../../protocols/ports/edge-feed.ts"
import type { MqttIncoming, MqttMessage } from "../../protocols/ports/mqtt-link.ts"
import type { StoreUnavailable } from "../../protocols/domain/failure.ts"
import type { BrokerAddress } from "./broker-address.ts"
import { Publications } from "./publications.ts"
import { makeSession, type Session } from "./session.ts"
import { announcedWord, announcements, homeStatus, serviceAvailability, type TopicNames } from "./topics.ts"

export interface PublisherOptions extends TopicNames {
  readonly address: BrokerAddress
  readonly caPem: string | null
  /** Of this service, as Home Assistant shows it. */
  readonly version: string
  /** How often it is asked which nodes there are still, and after how long one that is missing is withdrawn. Default 30 s, 10 minutes. */
  readonly looks?: { readonly everyMs: number; readonly goneMs: number }
  /** Told of every connection. */
  readonly onConnected: Effect.Effect<void>
  /** Told why there is none, once a reason. */
  readonly onDisconnected: (reason: string) => Effect.Effect<void>
}

const tickMs = 250
const looksStandard = { everyMs: 30_000, goneMs: 600_000 } as const
/** After Home Assistant's birth message, so that not every device speaks at once: milliseconds. */
const birthDelayMs = { least: 500, most: 3_000 } as const

const availability = (names: TopicNames, payload: "online" | "offline"): MqttMessage => ({
  topic: serviceAvailability(names),
  payload,
  retain: true,
  expiryS: null,
  prelude: false,
})

/** What the parts of the publisher share. */
interface Shop {
  readonly options: PublisherOptions
  readonly publications: Publications
  readonly session: Session
  /** When Home Assistant is answered, which has begun a new life; null: it has not. */
  answerAtMs: number | null
}

/** Everything there is, announcements first. */
const everything = (options: PublisherOptions, publications: Publications) =>
  Effect.map(Clock.currentTimeMillis, (nowMs) => [availability(options, "online"), ...publications.all(nowMs)])

/** Takes a message of the broker's. */
const listen = Effect.fnUntraced(function* (shop: Shop, { kept, payload, topic }: MqttIncoming) {
  const { options, publications, session } = shop
  if (topic === homeStatus(options)) {
    // One answer to any number of births within its delay.
    if (payload !== "online" || shop.answerAtMs !== null) return
    yield* Effect.logInfo("Home Assistant has begun a new life: everything is announced to it again")
    const delayMs = yield* Random.nextBetween(birthDelayMs.least, birthDelayMs.most)
    shop.answerAtMs = (yield* Clock.currentTimeMillis) + delayMs
    return
  }
  const word = kept ? announcedWord(options, topic) : null
  if (word !== null) session.publish(publications.former(word, payload))
})

/** Publishes what has become due, and says when there is no place for all. */
const keepTime = Effect.fnUntraced(function* (shop: Shop): Effect.fn.Return<never> {
  const { options, publications, session } = shop
  let said = 0
  while (true) {
    yield* Effect.sleep(tickMs)
    const nowMs = yield* Clock.currentTimeMillis
    session.publish(publications.due(nowMs))
    if (shop.answerAtMs !== null && nowMs >= shop.answerAtMs) {
      shop.answerAtMs = null
      session.publish(yield* everything(options, publications))
    }
    const leftOut = publications.leftOut + session.dropped()
    if (leftOut <= said) continue
    said = 2 * leftOut
    yield* Effect.logWarning("MQTT: more nodes than are published; messages are left out", { left_out: leftOut })
  }
})

/** Withdraws the nodes that are gone for good. */
const keepLooking = Effect.fnUntraced(function* (
  { options, publications, session }: Shop,
  feed: EdgeFeed["Service"],
): Effect.fn.Return<never, ClassRefused> {
  const { everyMs, goneMs } = options.looks ?? looksStandard
  while (true) {
    yield* Effect.sleep(everyMs)
    const found = yield* Effect.catchTag(feed.current("mqtt"), "StoreUnavailable", () => Effect.succeed(null))
    if (found === null) continue
    const nodeIds = found.map(({ record }) => record.nodeId)
    session.publish(publications.withdrawGone(nodeIds, yield* Clock.currentTimeMillis, goneMs))
  }
})

/** Publishes until the gate refuses a record, or the feed lets nobody in. */
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
    subscriptions: [homeStatus(options), announcements(options)],
    greeting: everything(options, publications),
    incoming: (message) => listen(shop, message),
    connected: options.onConnected,
    disconnected: options.onDisconnected,
    enabled: null,
  })
  const shop: Shop = { options, publications, session, answerAtMs: null }
  const take = Stream.runForEach(
    feed.watch("mqtt"),
    (released) => Effect.map(Clock.currentTimeMillis, (nowMs) => session.publish(publications.take(released, nowMs))),
  )
  // The first that fails ends the others.
  const parts = [take, session.run, keepTime(shop), keepLooking(shop, feed)]
  yield* Effect.all(parts, { concurrency: "unbounded", discard: true })
  return yield* Effect.never
})
