/**
 * What is to be published, and when: every node's announcement, availability, state and events.
 *
 * Pure: the time is an argument, and messages are the answer. Invariants:
 * 1. What is or is not (presence, number of persons, events, availability) is published at once when it changes; measurements at most every
 *    `figuresMs`, the newest; what does not change, every `heartbeatMs`, which is well below `expireAfterS`.
 * 2. A node is offline when it has said nothing for `staleAfterMs`, or what it senses is older than that; then nothing of it is repeated.
 * 3. At most `nodesMax` nodes are held, the announcements of an earlier life included.
 */
import type { Released } from "../../core/privacy/gate.ts"
import { heldAgeMs, latenessOfAge, staleAfterMs } from "../../protocols/domain/lateness.ts"
import type { EdgeRecord } from "../../protocols/domain/sensing.ts"
import { type Discovery, discoveryOf, expireAfterS, withoutFormer } from "./discovery.ts"
import type { MqttMessage } from "../../protocols/ports/mqtt-link.ts"
import { contentOf, eventsPayloadOf, factsOf, statePayload } from "./state.ts"
import { type NodeTopics, type TopicNames, topicsOf, wordOf } from "./topics.ts"

export const figuresMs = 1_000
export const heartbeatMs = 20_000
/** Nodes that are published; more are left out. */
export const nodesMax = 4_096

type ReleasedToMqtt = Released<EdgeRecord, "mqtt">

/** A node, and what was published of it last. */
interface Known {
  readonly topics: NodeTopics
  /** What it said last. */
  latest: ReleasedToMqtt
  /** What its announcement is made of, to see whether it is another now; null: it was not announced. */
  announcedFor: string | null
  discovery: Discovery
  discoveryText: string
  heardMs: number
  /** When what it said last was first taken: a record is repeated while there is nothing new. */
  sinceMs: number
  online: boolean
  /** What was published of the state, and when. */
  stateSent: { readonly facts: string; readonly content: string; readonly atMs: number } | null
  eventsSent: { readonly payload: string; readonly atMs: number } | null
}

const retained = (topic: string, payload: string): MqttMessage => ({
  topic,
  payload,
  retain: true,
  expiryS: null,
  prelude: false,
})
/** What is of the moment: no broker keeps it, and none delivers it late. */
const momentary = (topic: string, payload: string): MqttMessage => ({
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
  /** Announcements of an earlier life, by the node's word, of nodes that were not heard in this one. */
  readonly #former = new Map<string, string>()
  /** Since when nodes that are known are among those there are no more. */
  readonly #missingSince = new Map<string, number>()
  leftOut = 0

  constructor(names: TopicNames, version: string) {
    this.#names = names
    this.#version = version
  }

  /** Takes what a node says; answers what of it is published at once. */
  take(released: ReleasedToMqtt, nowMs: number): ReadonlyArray<MqttMessage> {
    const { entry, nodeId } = released.record
    const word = wordOf(nodeId)
    if (entry.standing === "revoked") return this.#withdraw(word)
    const known = this.#nodes.get(word) ?? this.#begin(word, released)
    if (known === null) return []
    const messages: Array<MqttMessage> = []
    const isNew = known.announcedFor === null
    const makings = `${released.privacyClass} ${entry.kind} ${entry.firmware} ${entry.environmentId}`
    if (known.announcedFor !== makings) {
      const former = isNew ? this.#former.get(word) : known.discoveryText
      known.announcedFor = makings
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

  /** What has become due since: measurements that waited, heartbeats, and silence. */
  due(nowMs: number): ReadonlyArray<MqttMessage> {
    return [...this.#nodes.values()].flatMap((known) => {
      if (!known.online) return []
      return nowMs - known.heardMs > staleAfterMs || isStale(known, nowMs)
        ? this.#appear(known, false)
        : this.#pending(known, nowMs)
    })
  }

  /** Everything anew, as after Home Assistant or a broker has begun a new life. */
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

  /** An announcement that the broker has kept. Of a node that is known, entities that are no more are removed. */
  former(word: string, payload: string): ReadonlyArray<MqttMessage> {
    if (payload === "") return []
    const known = this.#nodes.get(word)
    if (known !== undefined) {
      return payload === known.discoveryText ? [] : this.#announcement(known, parsed(payload))
    }
    if (this.#former.size + this.#nodes.size < nodesMax) this.#former.set(word, payload)
    return []
  }

  /**
   * Takes away the nodes, of this life or an earlier one, that have not been among these for `goneMs`: Home Assistant forgets with them
   * what its user has set about them, so it is not done in haste.
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
      messages.push(momentary(topics.state, statePayload(state.content, latest.record.sensing!.timestampMs)))
    }
    const events = eventsPayloadOf(latest)
    if (events !== null && (events !== eventsSent?.payload || nowMs - eventsSent.atMs >= heartbeatMs)) {
      known.eventsSent = { payload: events, atMs: nowMs }
      messages.push(momentary(topics.events, events))
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

/** Whether what a node senses is too old, whenever it arrived. */
const isStale = ({ latest, sinceMs }: Known, nowMs: number): boolean =>
  latenessOfAge(heldAgeMs(latest.record, nowMs - sinceMs)) === "stale"

/** The state where it is to be published now, else null. Measurements are only looked at when their second is over. */
const dueState = (
  { latest, stateSent: sent }: Known,
  nowMs: number,
): { readonly facts: string; readonly content: string } | null => {
  const facts = factsOf(latest)
  if (facts === null) return null
  const sinceMs = sent === null ? Infinity : nowMs - sent.atMs
  if (facts === sent?.facts && sinceMs < figuresMs) return null
  const content = contentOf(latest)!
  return facts === sent?.facts && content === sent.content && sinceMs < heartbeatMs ? null : { facts, content }
}
