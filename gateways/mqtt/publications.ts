/**
 * The messages to publish, and when: the announcement, availability, state and events of every node.
 *
 * Pure: the time is an argument, and messages are the result. Invariants:
 * 1. A change of presence, number of persons, events or availability is published at once; the newest measurements at most every
 *    `measurementsMs`; unchanged values every `heartbeatMs`, which is well below `expireAfterS`.
 * 2. A node is offline when it has not reported for `staleAfterMs`, or when its reading is older than that. Then it is not republished.
 * 3. At most `nodesMax` nodes are held, including those of retained announcements.
 */
import type { Released } from "../../core/privacy/gate.ts"
import { heldAgeMs, latenessOfAge, staleAfterMs } from "../../protocols/domain/lateness.ts"
import type { EdgeRecord } from "../../protocols/domain/sensing.ts"
import { type Discovery, discoveryOf, expireAfterS, withoutFormer } from "./discovery.ts"
import type { MqttMessage } from "../../protocols/ports/mqtt-link.ts"
import { contentOf, eventsOf, factsOf, statePayload } from "./state.ts"
import { type NodeTopics, type TopicNames, topicsOf, wordOf } from "./topics.ts"

export const measurementsMs = 1_000
export const heartbeatMs = 20_000
/** Maximum number of nodes that are published. Further nodes are left out. */
export const nodesMax = 4_096

type ReleasedToMqtt = Released<EdgeRecord, "mqtt">

/** A node, and the messages that were last published for it. */
interface Known {
  readonly topics: NodeTopics
  /** Its newest record. */
  latest: ReleasedToMqtt
  /** The values on which its announcement depends, to detect a change; null: it was not announced. */
  announcedFor: string | null
  discovery: Discovery
  discoveryText: string
  heardMs: number
  /** When its newest reading was first received: a record is repeated while its reading is the same. */
  sinceMs: number
  online: boolean
  /** The state that was last published, and when. */
  stateSent: { readonly facts: string; readonly content: string; readonly atMs: number } | null
  eventsSent: { readonly content: string; readonly atMs: number } | null
}

const retained = (topic: string, payload: string): MqttMessage => ({
  topic,
  payload,
  retain: true,
  expiryS: null,
  prelude: false,
})
/** A message that no broker retains or delivers late. */
const expiring = (topic: string, payload: string): MqttMessage => ({
  topic,
  payload,
  retain: false,
  expiryS: expireAfterS,
  prelude: false,
})

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export class Publications {
  readonly #names: TopicNames
  readonly #version: string
  readonly #nodes = new Map<string, Known>()
  /** Retained announcements of nodes that have not reported since the start, by topic word. */
  readonly #former = new Map<string, string>()
  /** Since when known nodes have been missing from the directory. */
  readonly #missingSince = new Map<string, number>()
  leftOut = 0

  constructor(names: TopicNames, version: string) {
    this.#names = names
    this.#version = version
  }

  /** Takes a record of a node. Returns the messages to publish at once. */
  take(released: ReleasedToMqtt, nowMs: number): ReadonlyArray<MqttMessage> {
    const { entry, nodeId } = released.record
    const word = wordOf(nodeId)
    if (entry.standing === "revoked") return this.#withdraw(word)
    const known = this.#nodes.get(word) ?? this.#begin(word, released)
    if (known === null) return []
    const messages: Array<MqttMessage> = []
    const isNew = known.announcedFor === null
    const announcedFor = `${released.privacyClass} ${entry.kind} ${entry.firmware} ${entry.environmentId}`
    if (known.announcedFor !== announcedFor) {
      const former = isNew ? this.#former.get(word) : known.discoveryText
      known.announcedFor = announcedFor
      known.discovery = discoveryOf(released, this.#names, this.#version)
      known.discoveryText = JSON.stringify(known.discovery)
      messages.push(...this.#announcement(known, former === undefined ? null : parsed(former)))
      this.#former.delete(word)
    }
    if (isNew || known.latest.record.seenMs !== released.record.seenMs) known.sinceMs = nowMs
    known.latest = released
    known.heardMs = nowMs
    const online = entry.online && !isStale(known, nowMs)
    if (isNew || known.online !== online) messages.push(...this.#appear(known, online))
    return online ? [...messages, ...this.#pending(known, nowMs)] : messages
  }

  /** The messages that are due: waiting measurements, heartbeats, and offline nodes. */
  due(nowMs: number): ReadonlyArray<MqttMessage> {
    return [...this.#nodes.values()].flatMap((known) => {
      if (!known.online) return []
      return nowMs - known.heardMs > staleAfterMs || isStale(known, nowMs)
        ? this.#appear(known, false)
        : this.#pending(known, nowMs)
    })
  }

  /** All messages again, after a restart of Home Assistant or a broker. */
  all(nowMs: number): ReadonlyArray<MqttMessage> {
    return [...this.#nodes.values()].flatMap((known) => {
      known.stateSent = null
      known.eventsSent = null
      return [
        ...this.#announcement(known, null),
        ...this.#appear(known, known.online),
        ...(known.online ? this.#pending(known, nowMs) : []),
      ]
    })
  }

  /** Takes an announcement that the broker has retained. For a known node, entities that no longer exist are removed. */
  former(word: string, payload: string): ReadonlyArray<MqttMessage> {
    if (payload === "") return []
    const known = this.#nodes.get(word)
    if (known !== undefined) {
      return payload === known.discoveryText ? [] : this.#announcement(known, parsed(payload))
    }
    if (this.#former.size + this.#nodes.size < nodesMax) this.#former.set(word, payload)
    return []
  }

  /** Another publisher, which no longer hears a node, has said that it is offline. It is not, if it reports here. */
  contradicted(word: string): ReadonlyArray<MqttMessage> {
    const known = this.#nodes.get(word)
    return known?.online === true ? this.#appear(known, true) : []
  }

  /**
   * Withdraws the nodes that have not been among `nodeIds` for `goneMs`. The delay is long because Home Assistant deletes its user's
   * settings of a withdrawn node.
   */
  withdrawGone(nodeIds: ReadonlyArray<string>, nowMs: number, goneMs: number): ReadonlyArray<MqttMessage> {
    const words = new Set(nodeIds.map(wordOf))
    const messages: Array<MqttMessage> = []
    for (const word of [...this.#nodes.keys(), ...this.#former.keys()]) {
      const since = this.#missingSince.get(word)
      if (words.has(word)) this.#missingSince.delete(word)
      else if (since === undefined) this.#missingSince.set(word, nowMs)
      else if (nowMs - since >= goneMs) messages.push(...this.#withdraw(word))
    }
    return messages
  }

  #begin(word: string, released: ReleasedToMqtt): Known | null {
    if (this.#nodes.size >= nodesMax) {
      this.leftOut++
      return null
    }
    const known: Known = {
      topics: topicsOf(this.#names, word),
      latest: released,
      announcedFor: null,
      discovery: discoveryOf(released, this.#names, this.#version),
      discoveryText: "",
      heardMs: -Infinity,
      sinceMs: -Infinity,
      online: false,
      stateSent: null,
      eventsSent: null,
    }
    this.#nodes.set(word, known)
    return known
  }

  #announcement(known: Known, former: unknown): ReadonlyArray<MqttMessage> {
    const { discovery, discoveryText, topics } = known
    const removal = withoutFormer(discovery, former)
    return [
      ...(removal === null ? [] : [{ ...retained(topics.discovery, JSON.stringify(removal)), prelude: true }]),
      retained(topics.discovery, discoveryText),
    ]
  }

  #appear(known: Known, online: boolean): ReadonlyArray<MqttMessage> {
    known.online = online
    if (!online) known.stateSent = known.eventsSent = null
    return [retained(known.topics.availability, online ? "online" : "offline")]
  }

  #pending(known: Known, nowMs: number): ReadonlyArray<MqttMessage> {
    const { eventsSent, latest, topics } = known
    const messages: Array<MqttMessage> = []
    const state = dueState(known, nowMs)
    if (state !== null) {
      known.stateSent = { ...state, atMs: nowMs }
      messages.push(expiring(topics.state, statePayload(state.content, latest.record.sensing!.timestampMs)))
    }
    const events = eventsOf(latest)
    if (events !== null && (events.content !== eventsSent?.content || nowMs - eventsSent.atMs >= heartbeatMs)) {
      known.eventsSent = { content: events.content, atMs: nowMs }
      messages.push(expiring(topics.events, events.payload()))
    }
    return messages
  }

  #withdraw(word: string): ReadonlyArray<MqttMessage> {
    this.#missingSince.delete(word)
    if (!this.#nodes.delete(word) && !this.#former.delete(word)) return []
    const { availability, discovery } = topicsOf(this.#names, word)
    return [retained(discovery, ""), retained(availability, "")]
  }
}

/** Whether a node's reading is stale, by its own time. */
const isStale = ({ latest, sinceMs }: Known, nowMs: number): boolean =>
  latenessOfAge(heldAgeMs(latest.record, nowMs - sinceMs)) === "stale"

/** The state if it is due, else null. Measurements are compared only after `measurementsMs`. */
const dueState = (
  { latest, stateSent: sent }: Known,
  nowMs: number,
): { readonly facts: string; readonly content: string } | null => {
  const facts = factsOf(latest)
  if (facts === null) return null
  const sinceMs = sent === null ? Infinity : nowMs - sent.atMs
  if (facts === sent?.facts && sinceMs < measurementsMs) return null
  const content = contentOf(latest)!
  return facts === sent?.facts && content === sent.content && sinceMs < heartbeatMs ? null : { facts, content }
}
