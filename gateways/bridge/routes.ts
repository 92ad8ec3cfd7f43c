/**
 * The bridge's routes: from a request line to an answer, as a pure function of what the bridge knows.
 *
 * A node that is unknown or stale (what it senses is older than 10 s) is 503 {error, hint}; a path that is none is 404 {error, path}.
 */
import {
  bridgeHealthText,
  type BridgeRecord,
  errorHintText,
  errorPathText,
  registryText,
  scanText,
  semanticEventsText,
  sensingText,
  subscriptionS,
  subscriptionText,
  vitalsText,
} from "../../protocols/bridge/bridge.ts"
import type { Memory } from "./memory.ts"

interface BridgeRequest {
  readonly method: string
  /** Path and query as sent. */
  readonly target: string
  readonly nowMs: number
  /** A fresh id for a subscription. */
  readonly uuid: () => string
}

export interface BridgeAnswer {
  readonly status: number
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

const ok = (text: string): BridgeAnswer => ({ status: 200, text })
const unavailable = (error: string, hint: string): BridgeAnswer => ({ status: 503, text: errorHintText(error, hint) })

const staleHint = "`npx wavepose doctor` tells who is behind: the source, the environment, the store or the processor."
const registryHint = "GET /api/v1/edge/registry lists the nodes and whether they are online."

/** What a route on one node answers with its record; null when the record has not got it. */
type Read = (released: BridgeRecord, request: BridgeRequest, ageMs: number) => string | null

const ofNode = (memory: Memory, nodeId: string, request: BridgeRequest, read: Read, lacking: string): BridgeAnswer => {
  const fresh = memory.fresh(nodeId, request.nowMs)
  if (fresh === null) {
    const heard = memory.heard(nodeId, request.nowMs)
    return heard !== null
      ? unavailable(
        `The newest record of node "${nodeId}" is ${(heard.ageMs / 1000).toFixed(1)} s old: its source is behind.`,
        staleHint,
      )
      : memory.isKnown(nodeId)
      ? unavailable(`Node "${nodeId}" has said nothing for more than 10 s.`, `Check that it sends. ${registryHint}`)
      : unavailable(`Nothing is known of a node "${nodeId}".`, registryHint)
  }
  const text = read(fresh.released, request, fresh.ageMs)
  return text === null ? unavailable(`Node "${nodeId}" has no such record yet.`, lacking) : ok(text)
}

const beginning = "It comes with the node's first packets: ask again in a second."
const noReports =
  "The node hears no beamforming reports: it takes a receiver in monitor mode beside 802.11ac or ax stations."

/** Seconds of a subscription; null when what was asked is out of bounds. */
const durationOf = (query: URLSearchParams): number | null => {
  const asked = query.get("duration_s")
  if (asked === null) return subscriptionS.standard
  const seconds = asked.trim() === "" ? Number.NaN : Number(asked)
  return seconds >= subscriptionS.min && seconds <= subscriptionS.max ? seconds : null
}

const subscribe = (memory: Memory, nodeId: string, query: URLSearchParams, request: BridgeRequest): BridgeAnswer => {
  const durationS = durationOf(query)
  if (durationS === null) {
    return {
      status: 422,
      text: errorHintText(
        "duration_s is not a number of seconds that can be had.",
        `Give ${subscriptionS.min} to ${subscriptionS.max} seconds, or leave it out for ${subscriptionS.standard}.`,
      ),
    }
  }
  return ofNode(memory, nodeId, request, () => subscriptionText(request.uuid(), nodeId, durationS), "")
}

const sensingLatest = (memory: Memory, query: URLSearchParams, request: BridgeRequest): BridgeAnswer => {
  const nodeId = query.get("node_id")
  const read: Read = (released, { nowMs }, ageMs) => sensingText(released, nowMs, ageMs)
  if (nodeId !== null) return ofNode(memory, nodeId, request, read, beginning)
  const newest = memory.newest(request.nowMs)
  return newest === null
    ? unavailable("No node has a record that is newer than 10 s.", `Check that nodes send. ${registryHint}`)
    : ok(read(newest.released, request, newest.ageMs)!)
}

interface Route {
  readonly method: "GET" | "POST"
  /** One group at most: the node's id. */
  readonly path: RegExp
  readonly answer: (memory: Memory, nodeId: string, query: URLSearchParams, request: BridgeRequest) => BridgeAnswer
}

const routesOf = (version: string): ReadonlyArray<Route> => [
  {
    method: "GET",
    path: /^\/health$/,
    answer: (memory, _, __, { nowMs }) => {
      const newest = memory.newest(nowMs)
      const source = newest?.released.record.sensing?.provenance.source ?? null
      return ok(bridgeHealthText({ featureAgeMs: newest?.ageMs ?? null, source, version }))
    },
  },
  {
    method: "GET",
    path: /^\/api\/v1\/sensing\/latest$/,
    answer: (memory, _, query, request) => sensingLatest(memory, query, request),
  },
  {
    method: "GET",
    path: /^\/api\/v1\/edge\/registry$/,
    answer: (memory, _, __, { nowMs }) => ok(registryText(memory.nodes(nowMs))),
  },
  {
    method: "GET",
    path: /^\/api\/v1\/vitals\/([^/]+)\/latest$/,
    answer: (memory, nodeId, _, request) =>
      ofNode(memory, nodeId, request, (released, { nowMs }, ageMs) => vitalsText(released, nowMs, ageMs), beginning),
  },
  {
    method: "GET",
    path: /^\/api\/v1\/bfld\/([^/]+)\/last_scan$/,
    answer: (memory, nodeId, _, request) => ofNode(memory, nodeId, request, scanText, noReports),
  },
  {
    method: "POST",
    path: /^\/api\/v1\/bfld\/([^/]+)\/subscribe$/,
    answer: subscribe,
  },
  {
    method: "GET",
    path: /^\/api\/v1\/semantic-events\/([^/]+)\/latest$/,
    answer: (memory, nodeId, _, request) => ofNode(memory, nodeId, request, semanticEventsText, beginning),
  },
]

/** The text of a path's segment; as it is where its escapes are broken. */
const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Answers requests from what the bridge knows; `version` is the service's. */
export const bridgeRoutes = (memory: Memory, version: string): (request: BridgeRequest) => BridgeAnswer => {
  const routes = routesOf(version)
  return (request) => {
    const [path = "", query = ""] = request.target.split("?", 2)
    const found = routes.flatMap((route) => {
      const match = route.path.exec(path)
      return match === null ? [] : [{ route, nodeId: decoded(match[1] ?? "") }]
    })
    const [first] = found
    if (first === undefined) return { status: 404, text: errorPathText("There is no such path.", path) }
    const { nodeId, route } = first
    const allowed = route.method === "GET" ? ["GET", "HEAD"] : ["POST"]
    if (!allowed.includes(request.method)) {
      const text = errorPathText(`${path} takes ${allowed.join(" and ")}.`, path)
      return { status: 405, text, headers: { Allow: allowed.join(", ") } }
    }
    return route.answer(memory, nodeId, new URLSearchParams(query), request)
  }
}
