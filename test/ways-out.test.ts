/**
 * No way out but through the privacy gate: by the import graph, by the types that encoders take, and by values that must not arrive. And
 * no word of threats in anything that leaves.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { nodeDevice, nodeEntities } from "../actors/home/plugins/built-in/wavepose/nodes.ts"
import { type Destination, destinations } from "../core/privacy/privacy-class.ts"
import { gate } from "../core/privacy/gate.ts"
import { makeMemory } from "../gateways/bridge/memory.ts"
import { bridgeRoutes } from "../gateways/bridge/routes.ts"
import { contentOf, eventsPayloadOf } from "../gateways/mqtt/state.ts"
import type { EdgeRecord } from "../protocols/domain/sensing.ts"
import { encodeEdgeUpdate } from "../protocols/grpc/edge-record.ts"
import { edgeRecord, nowMs } from "./harness/edge-records.ts"

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
  it("nobody at an edge reads what edge nodes say but the hub", () => {
    const readers = pathsOf(/from "[^"]*\/edge-node\.ts"/).filter((path) => !path.startsWith("actors/"))
    expect(readers.toSorted()).toEqual(["gateways/edge/edge-hub.ts", "protocols/messages/environment.ts"])
    // What the environment takes from there is the room, which is no record.
    const environment = sources.find(({ path }) => path === "protocols/messages/environment.ts")!.code
    expect(environment).toMatch(/import \{ RoomReading \} from "\.\/edge-node\.ts"/)
  })

  it("the proof of release is made in the gate's file alone", () => {
    expect(pathsOf(/\bReleasedRecord\b/)).toEqual(["core/privacy/gate.ts"])
    const { code } = sources.find(({ path }) => path === "core/privacy/gate.ts")!
    expect(code).not.toMatch(/export (class|default|\{[^}]*ReleasedRecord)/)
    expect(code.match(/new ReleasedRecord\(/g)).toHaveLength(1)
  })

  it("outside the gate's own folder of gateways, an edge record at an edge is a released one", () => {
    const bare = sources.filter(({ path }) => /^(gateways|protocols\/(http|grpc|socket|mqtt))\//.test(path))
      .filter(({ path }) => !path.startsWith("gateways/edge/"))
      .flatMap(({ code, path }) => {
        const uses = code.replace(/^import[\s\S]*?from "[^"]*"$/gm, "")
          .match(/(?<!Released<)\b(EdgeRecord|SensingRecord|SemanticEvents|BeamformingScan)\b(?!\w|\()/g)
        return uses === null ? [] : [path]
      })
    // The codec's own parts, and parts of what was released: each begins with a `Released`.
    expect(bare.filter((path) => !mayNameParts.has(path))).toEqual([])
  })

  it("every way out asks the feed or the gate for its own destination", () => {
    const asked = new Set(
      sources.flatMap(({ code }) =>
        [...code.matchAll(/(?:\.(?:watch|current)\(|gate\(event, \w+, )"(\w+)"\)/g)].map(([, destination]) =>
          destination
        )
      ),
    )
    expect([...asked].toSorted()).toEqual(destinations.toSorted())
  })

  it("what must not exist is named nowhere but where it is refused", () => {
    const names = pathsOf(/soul_?match_?probability|rf_?signature_?hash/i)
    expect(names).toEqual(["core/privacy/fields.ts"])
    const risk = pathsOf(/identity_?risk_?score/i)
    for (const path of risk.filter((one) => one !== "core/privacy/fields.ts")) {
      const uses = sources.find((source) => source.path === path)!.code.match(/identity_?risk_?score\W.{0,12}/gi) ?? []
      expect(uses.every((use) => /identity_risk_score"?: null/i.test(use)), `${path}: ${uses.join(" | ")}`).toBe(true)
    }
  })
})

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
  const ask = (method: string, target: string) => respond({ method, target, nowMs, uuid: () => "id" }).text
  return [
    ...paths.map((path) => ask("GET", path)),
    ...paths.map((path) => ask("DELETE", path)),
    ask("POST", "/api/v1/bfld/bedroom/subscribe"),
    ask("GET", "/api/v1/vitals/nobody/latest"),
    ask("GET", "/nothing"),
  ]
}

describe("by values that must not arrive", () => {
  it("nothing of them is in any answer of the bridge", () => {
    for (const text of bridgeTexts(tainted())) {
      for (const taint of taints) expect(text).not.toContain(taint)
    }
    // They would be seen: of class anonymous the first five are there.
    const open = bridgeTexts({ ...tainted(), privacyClass: 2 }).join("\n")
    for (const taint of taints.slice(0, 5)) expect(open).toContain(taint)
    for (const taint of taints.slice(5)) expect(open).not.toContain(taint)
  })

  it("nothing of them is in the bytes of gRPC", () => {
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

describe("by figures that must not arrive, however they are rounded", () => {
  const releasedTo = <D extends Destination>(record: EdgeRecord, destination: D) => {
    const verdict = gate(record, record.privacyClass, destination)
    if (verdict.decision === "refuse") throw new Error(verdict.refusal.reason)
    return verdict.released
  }
  const device = nodeDevice(releasedTo(edgeRecord("bedroom"), "home"), "bedroom")
  const texts = {
    mqtt: (record: EdgeRecord) => {
      const released = releasedTo(record, "mqtt")
      return `${contentOf(released)} ${eventsPayloadOf(released)}`
    },
    home: (record: EdgeRecord) => JSON.stringify(nodeEntities(releasedTo(record, "home"), device, nowMs)),
  }
  const numbersOf = (text: string) => (text.match(/-?\d+(\.\d+)?/g) ?? []).map(Number)
  const near = (text: string) =>
    [31.4159, 27.1828, 0.141421, 0.173205, 0.223607, 0.6180339, 0.57721].filter((taint) =>
      numbersOf(text).some((number) => Math.abs(number - taint) < 0.03 * taint)
    )

  it.each(["mqtt", "home"] as const)("%s says none of them of class restricted", (way) => {
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
  it("of threats or security are in no answer of the bridge", () => {
    for (const privacyClass of [2, 3] as const) {
      for (const text of bridgeTexts(edgeRecord("bedroom", { privacyClass }))) expect(text).not.toMatch(alarming)
    }
  })

  it("of threats or security are in no string of the code through which edge records leave", () => {
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

  it("that operators read are the neutral names", () => {
    const texts = bridgeTexts(edgeRecord("bedroom")).join("\n")
    for (const name of ["unknown_presence", "unexpected_occupancy", "unrecognized_activity_pattern"]) {
      expect(texts).toContain(`"${name}"`)
    }
  })
})
