/** The `.proto` files against the endpoints of the pose API that they are generated from. */
import { readdirSync, readFileSync } from "node:fs"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { requestParts, responseDocument, wrappedIn } from "../../../protocols/grpc/contract/operation-messages.ts"
import { operationList } from "../../../protocols/grpc/contract/operations.ts"
import { protoFiles } from "../../../protocols/grpc/contract/proto-files.ts"
import { protoText } from "../../../protocols/grpc/contract/proto-text.ts"
import { codecOf, type Json } from "../../../protocols/grpc/contract/transcode.ts"
import { servedPath } from "../../../protocols/pose-api/openapi.ts"
import type { AnyEndpoint } from "../../../protocols/pose-api/endpoint.ts"
import { jsonValues } from "./json-values.ts"

const folder = new URL("../../../protocols/", import.meta.url)

/** Endpoints without a method, and why. */
const withoutMethod = new Map([
  ["GET /api/v1/labels/export", "a CSV file; ListLabels has the labels"],
  ["GET /metrics", "Prometheus reads text over HTTP; GetMetrics has the figures"],
  ["GET /api/v1/health", "a summary of GetHealth; probes call grpc.health.v1"],
  ["GET /api/v1/health/live", "grpc.health.v1 answers probes"],
  ["GET /api/v1/health/ready", "grpc.health.v1 answers probes"],
  ["GET /api/v1/openapi.json", "describes REST; reflection describes gRPC"],
  ["GET /api/v1/openapi.bare.json", "describes REST"],
  ["GET /api/v1/openapi.envelope.json", "describes REST"],
  ["GET /api/v1/asyncapi.json", "describes the WebSocket"],
  ["GET /docs", "a page"],
  ["GET /docs/style.css", "a part of a page"],
  ["GET /docs/script.js", "a part of a page"],
  ["POST /api/v1/auth/ticket", "it opens a WebSocket"],
  ["POST /api/v1/auth/session", "a cookie of the browser"],
  ["POST /api/v1/auth/session/refresh", "a cookie of the browser"],
  ["DELETE /api/v1/auth/session", "a cookie of the browser"],
  ["POST /api/v1/pose/process", "StreamCsi takes CSI as columns of numbers, which JSON cannot hold"],
])

const isEndpoint = (value: unknown): value is AnyEndpoint =>
  typeof value === "object" && value !== null && "method" in value && "access" in value && "category" in value

/** All endpoints that the modules of the pose API export. */
const endpoints = async (): Promise<ReadonlyArray<AnyEndpoint>> => {
  const names = readdirSync(new URL("pose-api", folder)).filter((name) => name.endsWith(".ts"))
  const modules = await Promise.all(names.map((name) => import(new URL(`pose-api/${name}`, folder).href)))
  const values = modules.flatMap((module) => Object.values(module as Record<string, unknown>))
  // One module exports an endpoint of each form as a record.
  return values.flatMap((value) =>
    isEndpoint(value) || typeof value !== "object" || value === null ? [value] : Object.values(value)
  ).filter(isEndpoint)
}

const nameOf = (endpoint: AnyEndpoint): string => `${endpoint.method} ${servedPath(endpoint)}`

/** Members that a message has: no nulls, zeros or empty values, which are absent fields, and no second names of nested members. */
const present = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(present)
  if (typeof value !== "object" || value === null) return value
  const members = Object.entries(value).filter(([name]) => !name.includes("."))
    .map(([name, member]) => [/^[0-9]/.test(name) ? `n${name}` : name, present(member)] as const)
  return Object.fromEntries(
    members.filter(([, member]) =>
      typeof member === "object" && member !== null
        ? Object.keys(member).length > 0
        : ![null, undefined, 0, false, ""].includes(member as null)
    ),
  )
}

describe("gRPC contract", () => {
  it("is the one that the endpoints generate: else run `npm run proto`", () => {
    const files = protoFiles()
    const shared = new Set(files[0]!.messages.map(({ name }) => name))
    for (const file of files) {
      const text = readFileSync(new URL(`grpc/${file.path}`, folder), "utf8")
      expect(protoText(file, shared, text), file.path).toBe(text)
    }
  })

  it("has every operation of the pose API, except those that say why not", async () => {
    const all = await endpoints()
    const missing = all.filter((endpoint) => operationList.every((operation) => operation.endpoint !== endpoint))
    expect(missing.map(nameOf).sort()).toEqual([...withoutMethod.keys()].sort())
    expect(operationList.length + missing.length).toBe(all.length)
  })

  const answered = operationList.filter(({ endpoint }) => endpoint.response !== null)
  it.each(answered)("carries every answer of $method", ({ endpoint, method }) => {
    const document = responseDocument(endpoint)
    const wrapper = wrappedIn(document)
    const { decode, encode } = codecOf(`${method}Response`)
    fc.assert(
      fc.property(jsonValues(document), (answer) => {
        const message = (wrapper === null ? answer : { [wrapper]: answer }) as Json
        expect(present(decode(encode(message)))).toEqual(present(message))
      }),
      { seed: 1, numRuns: 20 },
    )
  })

  it.each(operationList)("carries every request of $method", ({ endpoint, method }) => {
    const { decode, encode } = codecOf(`${method}Request`)
    const parts = Object.values(requestParts(endpoint)).filter(({ schema }) => schema.properties !== undefined)
      .map((document) => jsonValues(document) as fc.Arbitrary<Json>)
    fc.assert(
      fc.property(fc.tuple(...parts), (values) => {
        const message = Object.assign({}, ...values) as Json
        expect(present(decode(encode(message)))).toEqual(present(message))
      }),
      { seed: 1, numRuns: 20 },
    )
  })
})
