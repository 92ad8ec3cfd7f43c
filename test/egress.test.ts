/**
 * No egress bypasses the privacy gate: by the import graph, by the types that encoders take, and by values that must not arrive. And
 * no word of threats in anything that leaves.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { nodeDevice, nodeEntities } from "../actors/home/plugins/built-in/wavepose/node-entities.ts"
import { makeSlugs } from "../actors/home/plugins/built-in/wavepose/slugs.ts"
import { type Destination, destinations, type PrivacyClass } from "../core/privacy/privacy-class.ts"
import { gate } from "../core/privacy/gate.ts"
import { makeMemory } from "../gateways/bridge/memory.ts"
import { bridgeRoutes } from "../gateways/bridge/routes.ts"
import { contentOf, eventsOf } from "../gateways/mqtt/state.ts"
import type { ActivityEvent } from "../protocols/domain/event.ts"
import type { EdgeRecord } from "../protocols/domain/sensing.ts"
import { encodeEdgeUpdate } from "../protocols/grpc/edge-record.ts"
import { webhookMessage } from "../protocols/pose-api/webhook-message.ts"
import { edgeRecord, nowMs } from "./harness/edge-records.ts"
import { incidentEvent } from "./harness/events.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

const filesUnder = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === "generated" || entry.name === "node_modules") return []
    const path = join(directory, entry.name)
    return entry.isDirectory() ? filesUnder(path) : path.endsWith(".ts") ? [path] : []
  })

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\/\/.*$/gm, "")

const sources = ["core", "protocols", "actors", "gateways", "deploy"].flatMap((room) => filesUnder(join(root, room)))
  .map((file) => ({ path: relative(root, file), code: withoutComments(readFileSync(file, "utf8")) }))

const pathsOf = (pattern: RegExp): ReadonlyArray<string> =>
  sources.filter(({ code }) => pattern.test(code)).map(({ path }) => path)

describe("by the import graph", () => {
  it("only the released feed reads edge nodes outside of the actors", () => {
    const readers = pathsOf(/from "[^"]*\/edge-node\.ts"/).filter((path) => !path.startsWith("actors/"))
    expect(readers.toSorted()).toEqual(["gateways/egress/released-feed.ts", "protocols/messages/environment.ts"])
    // What the environment takes from there is the room, which is no record.
    const environment = sources.find(({ path }) => path === "protocols/messages/environment.ts")!.code
    expect(environment).toMatch(/import \{ RoomReading \} from "\.\/edge-node\.ts"/)
  })

  it("only the gate's file constructs the proof of release", () => {
    expect(pathsOf(/\bReleasedRecord\b/)).toEqual(["core/privacy/gate.ts"])
    const { code } = sources.find(({ path }) => path === "core/privacy/gate.ts")!
    expect(code).not.toMatch(/export (class|default|\{[^}]*ReleasedRecord)/)
    expect(code.match(/new ReleasedRecord\(/g)).toHaveLength(1)
  })

  it("outside gateways/egress, edges handle only released records", () => {
    const bare = sources.filter(({ path }) => /^(gateways|protocols\/(pose-api|bridge|grpc))\//.test(path))
      .filter(({ path }) => !path.startsWith("gateways/egress/"))
      .flatMap(({ code, path }) => {
        const uses = code.replace(/^import[\s\S]*?from "[^"]*"$/gm, "")
          .match(/(?<!Released<)\b(EdgeRecord|SensingRecord|SemanticEvents|BeamformingScan)\b(?!\w|\()/g)
        return uses === null ? [] : [path]
      })
    // The codec's own parts, and parts of what was released: each begins with a `Released`.
    expect(bare.filter((path) => !mayNameParts.has(path))).toEqual([])
  })

  it("every egress asks the feed or the gate for its own destination", () => {
    const asked = new Set(
      sources.flatMap(({ code }) =>
        [...code.matchAll(/(?:\.(?:watch|current)\(|gate\(event, \w+, )"(\w+)"\)/g)].map(([, destination]) =>
          destination
        )
      ),
    )
    expect([...asked].toSorted()).toEqual(destinations.toSorted())
  })

  it("the files that can open or accept connections are known", () => {
    const opener =
      /\bfetch\(|import (?!type)[^"]*(\b(createServer|createSecureServer|createSocket|connect|request|PgClient)\b[^"]*"|"(ws|undici|@grpc\/grpc-js)")|import http2/
    expect(pathsOf(opener).toSorted()).toEqual(Object.keys(openers).toSorted())
    expect(pathsOf(/import \{[^}]*\bserveHttp\b/).toSorted()).toEqual(Object.keys(httpEdges).toSorted())
  })

  it("only the deliverer sends events to webhooks, those that the gate released; a probe sends a test without an event", () => {
    const senders = ["actors/webhooks/deliverer.ts", "actors/webhooks/probe.ts"]
    expect(pathsOf(/from "[^"]*webhook-message\.ts"/)).toEqual(senders)
    expect(pathsOf(/from "[^"]*\/sender\.ts"/)).toEqual(senders)
    expect(pathsOf(/\bwebhookMessage\b/).toSorted()).toEqual([senders[0], "protocols/pose-api/webhook-message.ts"])
    const deliverer = sources.find(({ path }) => path === "actors/webhooks/deliverer.ts")!.code
    expect(deliverer.match(/\bsend\(\{/g)).toHaveLength(1)
    expect(deliverer).toMatch(/const body = JSON\.stringify\(webhookMessage\(verdict\.released, nowMs\)\)/)
    // Nothing else makes a body: the message takes no event that is not released.
    const message = sources.find(({ path }) => path === "protocols/pose-api/webhook-message.ts")!.code
    expect(message).toMatch(/webhookTestMessage = \(webhookId: string, nowMs: number\)/)
    expect(message).toMatch(/webhookMessage = \(\s*\{ record: event \}: Released<ActivityEvent, "webhook">/)
  })

  it("forbidden fields are named only where they are rejected", () => {
    const names = pathsOf(/soul_?match_?probability|rf_?signature_?hash/i)
    expect(names).toEqual(["core/privacy/fields.ts"])
    const risk = pathsOf(/identity_?risk_?score/i)
    for (const path of risk.filter((one) => one !== "core/privacy/fields.ts")) {
      const uses = sources.find((source) => source.path === path)!.code.match(/identity_?risk_?score\W.{0,12}/gi) ?? []
      expect(uses.every((use) => /identity_risk_score"?: null/i.test(use)), `${path}: ${uses.join(" | ")}`).toBe(true)
    }
  })
})

/** Who opens connections or listens, and what goes through them. */
const openers: Readonly<Record<string, string>> = {
  "protocols/grpc/deno-http2.ts": "gRPC: what the hub releases, and what actors of one cluster say among themselves",
  "actors/runtime/grpc-channel.ts": "among the nodes of a cluster",
  "actors/store/sql/copy-clients.ts": "the service's own database",
  "actors/store/sql/copy-stream.ts": "the service's own database",
  "actors/store/database/database.ts": "the service's own database",
  "actors/store/database/lock-session.ts": "the database",
  "actors/store/database/member-news.ts": "the database",
  "actors/store/database/version-guard.ts": "the database",
  "actors/webhooks/sender.ts": "webhooks",
  "gateways/grpc/server.ts": "gRPC",
  "gateways/grpc/listener.ts": "gRPC: the connections that its server is handed",
  "gateways/grpc/admission.ts": "gRPC: the metadata that its answers begin with",
  "gateways/grpc/request-gate.ts": "gRPC: the interceptor that admits its calls",
  "gateways/grpc/calls.ts": "gRPC: how its calls end",
  "gateways/grpc/status.ts": "gRPC: the names of its failures",
  "gateways/grpc/client-credentials.ts": "the TLS and options of connections to a gRPC edge; it opens none",
  "gateways/grpc/connection-failure.ts": "none: names of gRPC statuses",
  "gateways/egress/remote-feed.ts": "in: what the hub has released, to who publishes it",
  "gateways/mqtt/connection.ts": "MQTT",
  "gateways/http/tls.ts": "the HTTP server of the edges in `httpEdges`",
  "gateways/datagrams/listener.ts": "in: what edge nodes say",
  "gateways/console/web/service/send.ts": "the browser of a signed-in user, to the pose API that served its page",
  "gateways/pose/docs/docs-samples.ts": "none: text of samples in the documentation",
  "gateways/pose/docs/docs-script.ts": "the browser of a reader of the documentation, to the pose API that served it",
  "protocols/clients/typescript/grpc-client.ts": "programs of users, as a client of gRPC",
  "protocols/clients/typescript/grpc-status.ts": "none: names of gRPC statuses",
  "protocols/clients/typescript/pose-stream.ts": "programs of users, as a client of the pose API",
  "deploy/source/ingest-channel.ts": "in: frames of a source, to this service",
  "deploy/source/service-batches.ts": "in: CSI of a running service, to the recorder of an administrator",
  "deploy/source/udp-socket.ts": "in: datagrams that a source of this machine signs, or that are recorded",
  "deploy/composition/preflight.ts": "own ports, tried before the start",
  "deploy/commands/service-client.ts": "commands of this machine, as a client of the pose API",
}

/** The edges that serve HTTP. */
const httpEdges: Readonly<Record<string, string>> = {
  "gateways/bridge/server.ts": "the bridge",
  "gateways/home/gateway.ts": "the home API",
  "gateways/pose/gateway.ts": "the pose API, which knows no edge records",
}

/** Files that name parts of a record beside the whole that was released. */
const mayNameParts = new Set(["protocols/grpc/edge-record.ts", "gateways/bridge/memory.ts"])

/** A record of class restricted whose forbidden figures are known by sight, with what must never exist planted in it. */
const taints = ["31.4159", "27.1828", "0.141421", "0.173205", "0.223607", "0.6180339", "5f0ed1ce", "0.57721"]
const tainted = (): EdgeRecord => {
  const record = edgeRecord("bedroom", { privacyClass: 3 })
  const vitals = { ...record.sensing!.vitals, breathingRateBpm: 31.4159, heartRateBpm: 27.1828 }
  const planted = { soulMatchProbability: 0.6180339, rf_signature_hash: "5f0ed1ce", identityRiskScore: 0.57721 }
  return {
    ...record,
    ...planted,
    sensing: {
      ...record.sensing!,
      ...planted,
      vitals,
      anomalyScore: 0.141421,
      envShiftScore: 0.173205,
      nodeCoherence: 0.223607,
    },
    events: {
      ...record.events!,
      unrecognizedActivityPattern: { ...record.events!.unrecognizedActivityPattern, anomalyScore: 0.141421 },
    },
    scan: { ...record.scan!, ...planted },
  }
}

const paths = [
  "/health",
  "/api/v1/edge/registry",
  "/api/v1/sensing/latest",
  "/api/v1/vitals/bedroom/latest",
  "/api/v1/bfld/bedroom/last_scan",
  "/api/v1/semantic-events/bedroom/latest",
]

/** Everything that the bridge says of a record. */
const bridgeTexts = (record: EdgeRecord): ReadonlyArray<string> => {
  const verdict = gate(record, record.privacyClass, "bridge")
  if (verdict.decision === "refuse") throw new Error(verdict.refusal.reason)
  const memory = makeMemory()
  memory.put(verdict.released, nowMs)
  const respond = bridgeRoutes(memory, "1")
  const ask = (method: string, target: string) => String(respond({ method, target, nowMs, uuid: () => "id" }).body)
  return [
    ...paths.map((path) => ask("GET", path)),
    ...paths.map((path) => ask("DELETE", path)),
    ask("POST", "/api/v1/bfld/bedroom/subscribe"),
    ask("GET", "/api/v1/vitals/nobody/latest"),
    ask("GET", "/nothing"),
  ]
}

describe("with planted values in records", () => {
  it("no answer of the bridge contains them", () => {
    for (const text of bridgeTexts(tainted())) {
      for (const taint of taints) expect(text).not.toContain(taint)
    }
    // They would be seen: of class anonymous the first five are there.
    const open = bridgeTexts({ ...tainted(), privacyClass: 2 }).join("\n")
    for (const taint of taints.slice(0, 5)) expect(open).toContain(taint)
    for (const taint of taints.slice(5)) expect(open).not.toContain(taint)
  })

  it("the bytes of gRPC do not contain them", () => {
    const bytesOf = (record: EdgeRecord) => {
      const verdict = gate(record, record.privacyClass, "grpc")
      if (verdict.decision === "refuse") throw new Error(verdict.refusal.reason)
      return Buffer.from(encodeEdgeUpdate(verdict.released))
    }
    const double = (value: number) => Buffer.from(new Float64Array([value]).buffer)
    const figures = taints.filter((taint) => taint !== "5f0ed1ce").map(Number)
    for (const figure of figures) expect(bytesOf(tainted()).includes(double(figure)), String(figure)).toBe(false)
    expect(bytesOf(tainted()).includes("5f0ed1ce")).toBe(false)
    for (const figure of figures.slice(0, 5)) {
      expect(bytesOf({ ...tainted(), privacyClass: 2 }).includes(double(figure)), String(figure)).toBe(true)
    }
  })
})

describe("with planted values in events", () => {
  const planted = {
    soulMatchProbability: 0.6180339,
    rf_signature_hash: "5f0ed1ce",
    identityRiskScore: 0.57721,
    breathingRateBpm: 31.4159,
    heartRateBpm: 27.1828,
    anomalyScore: 0.141421,
    envShiftScore: 0.173205,
    nodeCoherence: 0.223607,
  }
  const event = incidentEvent("00000000-0000-7000-8000-000000000001", "open", 1)
  const tainted: ActivityEvent = {
    ...event,
    ...planted,
    detail: { ...event.detail, ...planted },
    incident: { ...event.incident!, ...planted },
    provenance: { ...event.provenance, ...planted },
  }
  const releasedAs = (privacyClass: PrivacyClass) => {
    const verdict = gate(tainted, privacyClass, "webhook")
    if (verdict.decision === "refuse") throw new Error(verdict.refusal.reason)
    return verdict.released
  }

  it.each([2, 3] as const)("a webhook of class %i does not contain them", (privacyClass) => {
    const body = JSON.stringify(webhookMessage(releasedAs(privacyClass), nowMs))
    expect(body).toContain(event.eventId)
    for (const taint of taints) expect(body).not.toContain(taint)
  })

  it("the gate itself removes them, independent of the message", () => {
    const reported = (privacyClass: PrivacyClass) => {
      const text = JSON.stringify(releasedAs(privacyClass).record)
      return taints.filter((taint) => text.includes(taint))
    }
    expect(reported(3)).toEqual([])
    // They would be seen: of class anonymous the first five are there.
    expect(reported(2)).toEqual(taints.slice(0, 5))
  })

  it.each([0, 1] as const)("an event of class %i is not released", (privacyClass) => {
    expect(() => releasedAs(privacyClass)).toThrow(/may not leave by webhooks/)
  })
})

describe("with planted numbers, in any rounding", () => {
  const releasedTo = <D extends Destination>(record: EdgeRecord, destination: D) => {
    const verdict = gate(record, record.privacyClass, destination)
    if (verdict.decision === "refuse") throw new Error(verdict.refusal.reason)
    return verdict.released
  }
  const device = nodeDevice(releasedTo(edgeRecord("bedroom"), "home"), makeSlugs([]))
  const texts = {
    mqtt: (record: EdgeRecord) => {
      const released = releasedTo(record, "mqtt")
      return `${contentOf(released)} ${eventsOf(released)?.payload()}`
    },
    home: (record: EdgeRecord) => JSON.stringify(nodeEntities(releasedTo(record, "home"), device, nowMs)),
  }
  const numbersOf = (text: string) => (text.match(/-?\d+(\.\d+)?/g) ?? []).map(Number)
  const near = (text: string) =>
    [31.4159, 27.1828, 0.141421, 0.173205, 0.223607, 0.6180339, 0.57721].filter((taint) =>
      numbersOf(text).some((number) => Math.abs(number - taint) < 0.03 * taint)
    )

  it.each(["mqtt", "home"] as const)("%s does not contain them for class restricted", (way) => {
    expect(near(texts[way](tainted()))).toEqual([])
    expect(texts[way](tainted())).not.toMatch(/5f0ed1ce|soul_|signature/)
    // They would be seen: of class anonymous the rates are there.
    expect(near(texts[way]({ ...tainted(), privacyClass: 2 }))).toEqual(expect.arrayContaining([31.4159, 27.1828]))
  })
})

/** Words of threats and of guards, as parts of words. `unsigned` and `restricted` are none. */
const alarming =
  /threat|intru|burglar|attack|hostile|suspicio|trespass|danger|breach|criminal|unauthori[sz]ed (person|presence|entry)|security|alarm|weapon|enemy|stranger/i

describe("words", () => {
  it("of threats or security are absent from the answers of the bridge", () => {
    for (const privacyClass of [2, 3] as const) {
      for (const text of bridgeTexts(edgeRecord("bedroom", { privacyClass }))) expect(text).not.toMatch(alarming)
    }
  })

  it("of threats or security are absent from the strings of the egress code", () => {
    const ways = sources.filter(({ path }) =>
      /^(core\/(privacy|semantics)|gateways\/(bridge|edge|mqtt)|actors\/(edge|home)|protocols\/mqtt)\//.test(path) ||
      /edge-record\.ts$|protocols\/http\/bridge\.ts$|grpc\/edge\.ts$|presence\.ts$|beamforming-scan\.ts$/.test(path)
    )
    expect(ways.length).toBeGreaterThan(20)
    const found = ways.flatMap(({ code, path }) =>
      [...code.matchAll(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g)]
        .filter(([text]) => alarming.test(text)).map(([text]) => `${path}: ${text}`)
    )
    expect(found).toEqual([])
  })

  it("for operators are the neutral names", () => {
    const texts = bridgeTexts(edgeRecord("bedroom")).join("\n")
    for (const name of ["unknown_presence", "unexpected_occupancy", "unrecognized_activity_pattern"]) {
      expect(texts).toContain(`"${name}"`)
    }
  })
})
