/**
 * The bridge's routes: from a request line to an answer, as a pure function of the bridge's memory.
 *
 * A request for a node that is unknown or stale (its data are older than 10 s) is answered 503 {error, hint}, and one for an unknown path 404
 * {error, path}.
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
import { type Answer, type Headers, noHeaders } from "../http/answer.ts"
import { splitTarget } from "../http/request.ts"
import { makeRouteTable, type TableRoute } from "../http/route-table.ts"
import type { Memory } from "./memory.ts"

interface BridgeRequest {
  readonly method: string
  /** Path and query as received. */
  readonly target: string
  readonly nowMs: number
  /** A new id for a subscription. */
  readonly uuid: () => string
}

/** An answer of the bridge; `text` is JSON. */
export const bridgeAnswer = (status: number, text: string, headers: Headers = noHeaders): Answer => ({
  status,
  body: text,
  mediaType: "application/json; charset=utf-8",
  headers: { "Cache-Control": "no-store", ...headers },
  route: null,
})

const ok = (text: string): Answer => bridgeAnswer(200, text)
const unavailable = (error: string, hint: string): Answer => bridgeAnswer(503, errorHintText(error, hint))

const staleHint =
  "`npx wavepose doctor` shows which stage is behind: the source, the environment, the store or the processor."
const registryHint = "GET /api/v1/edge/registry lists the nodes and whether they are online."

/** The text that a route on one node returns of its record; null if the record does not have it. */
type Read = (released: BridgeRecord, nowMs: number, ageMs: number) => string | null

const ofNode = (memory: Memory, nodeId: string, request: BridgeRequest, read: Read, lacking: string): Answer => {
  const fresh = memory.fresh(nodeId, request.nowMs)
  if (fresh === null) {
    const heard = memory.heard(nodeId, request.nowMs)
    return heard !== null
      ? unavailable(
        `The newest record of node "${nodeId}" is ${(heard.ageMs / 1000).toFixed(1)} s old: its source is behind.`,
        staleHint,
      )
      : memory.isKnown(nodeId)
      ? unavailable(`Node "${nodeId}" has been silent for more than 10 s.`, `Check that it sends. ${registryHint}`)
      : unavailable(`Node "${nodeId}" is unknown.`, registryHint)
  }
  const text = read(fresh.released, request.nowMs, fresh.ageMs)
  return text === null ? unavailable(`Node "${nodeId}" has no such record yet.`, lacking) : ok(text)
}

const beginning = "The first packets of the node bring it. Try again in a second."
const noReports =
  "The node receives no beamforming reports. They need a receiver in monitor mode near 802.11ac or 802.11ax stations."

/** Seconds of a subscription; null if the query is out of bounds. */
const durationOf = (query: URLSearchParams): number | null => {
  const asked = query.get("duration_s")
  if (asked === null) return subscriptionS.standard
  const seconds = asked.trim() === "" ? Number.NaN : Number(asked)
  return seconds >= subscriptionS.min && seconds <= subscriptionS.max ? seconds : null
}

const subscribe = (memory: Memory, nodeId: string, query: URLSearchParams, request: BridgeRequest): Answer => {
  const durationS = durationOf(query)
  if (durationS === null) {
    return bridgeAnswer(
      422,
      errorHintText(
        "duration_s is not a permitted number of seconds.",
        `Give ${subscriptionS.min} to ${subscriptionS.max} seconds, or leave it out for ${subscriptionS.standard}.`,
      ),
    )
  }
  return ofNode(memory, nodeId, request, () => subscriptionText(request.uuid(), nodeId, durationS), "")
}

const sensingLatest = (memory: Memory, query: URLSearchParams, request: BridgeRequest): Answer => {
  const nodeId = query.get("node_id")
  if (nodeId !== null) return ofNode(memory, nodeId, request, sensingText, beginning)
  const newest = memory.newest(request.nowMs)
  return newest === null
    ? unavailable("No node has a record that is newer than 10 s.", `Check that nodes send. ${registryHint}`)
    : ok(sensingText(newest.released, request.nowMs, newest.ageMs)!)
}

type Handler = (memory: Memory, nodeId: string, query: URLSearchParams, request: BridgeRequest) => Answer

const routesOf = (version: string): ReadonlyArray<TableRoute<Handler>> => [
  {
    method: "GET",
    path: "/health",
    value: (memory, _, __, { nowMs }) => {
      const newest = memory.newest(nowMs)
      const source = newest?.released.record.sensing?.provenance.source ?? null
      return ok(bridgeHealthText({ featureAgeMs: newest?.ageMs ?? null, source, version }))
    },
  },
  {
    method: "GET",
    path: "/api/v1/sensing/latest",
    value: (memory, _, query, request) => sensingLatest(memory, query, request),
  },
  {
    method: "GET",
    path: "/api/v1/edge/registry",
    value: (memory, _, __, { nowMs }) => ok(registryText(memory.nodes(nowMs))),
  },
  {
    method: "GET",
    path: "/api/v1/vitals/{node_id}/latest",
    value: (memory, nodeId, _, request) => ofNode(memory, nodeId, request, vitalsText, beginning),
  },
  {
    method: "GET",
    path: "/api/v1/bfld/{node_id}/last_scan",
    value: (memory, nodeId, _, request) => ofNode(memory, nodeId, request, scanText, noReports),
  },
  {
    method: "POST",
    path: "/api/v1/bfld/{node_id}/subscribe",
    value: subscribe,
  },
  {
    method: "GET",
    path: "/api/v1/semantic-events/{node_id}/latest",
    value: (memory, nodeId, _, request) => ofNode(memory, nodeId, request, semanticEventsText, beginning),
  },
]

/** A segment of a path without its escapes; as it is if they are broken. */
const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Answers requests from the bridge's memory; `version` is the service's. */
export const bridgeRoutes = (memory: Memory, version: string): (request: BridgeRequest) => Answer => {
  const find = makeRouteTable(routesOf(version), { headAsGet: true, decode })
  return (request) => {
    const { path, query } = splitTarget(request.target)
    const found = find(request.method, path)
    switch (found._tag) {
      case "Found":
        return found.value(memory, found.params["node_id"] ?? "", new URLSearchParams(query), request)
      case "UnknownPath":
        return bridgeAnswer(404, errorPathText("There is no such path.", path))
      case "UnknownMethod": {
        const text = errorPathText(`${path} takes ${found.allowed.join(" and ")}.`, path)
        return bridgeAnswer(405, text, { Allow: found.allowed.join(", ") })
      }
    }
  }
}
