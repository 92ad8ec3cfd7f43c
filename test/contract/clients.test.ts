/**
 * Part A of the specification through the published clients, TypeScript and Python, in both forms, and over gRPC: against a simulated room, where
 * every field has its type, and against a service without a source. And a stream that loses its connection 20 times.
 */
import * as grpc from "@grpc/grpc-js"
import { join } from "node:path"
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createClient, passwordToken, poseStream, WaveposeError } from "../../protocols/clients/typescript/mod.ts"
import { type Form, forms } from "../../protocols/pose-api/forms.ts"
import { complaintsOf } from "../e2e/specification/complaints.ts"
import type { Fields } from "../e2e/specification/fields.ts"
import { adminPassword, eventually, signIn, startService, type TestService } from "../harness/service.ts"
import { type Call, callsIn } from "./calls.ts"
import { pythonOperations } from "./python-operations.ts"
import { grpcComplaints, methodOf, viaGrpc } from "./via-grpc.ts"
import { python, root, runScript } from "./tools.ts"

// deno-lint-ignore no-explicit-any
type Json = any

interface Result {
  readonly status: number
  readonly answer: Json
}

const installed = await python("client")
const skipped = "reason" in installed ? ` (skipped: ${installed.reason})` : ""
const clientFolder = join(root, "protocols", "clients", "python")

/** Runs a script with the Python client. */
const runPython = async (script: string, input: Json): Promise<Json> => {
  if ("reason" in installed) throw new Error(installed.reason)
  return await runScript(join(installed.bin, "python"), script, input, { PYTHONPATH: clientFolder })
}

const viaTypeScript = async (service: TestService, { body, form, pathValues, query, specified, template }: Call) => {
  const token = passwordToken(service.pose, "admin", adminPassword)
  const client: Json = createClient({ url: service.pose, form, token })
  try {
    const answer = await client[specified.method.toLowerCase()](template, { path: pathValues, query, body })
    return { status: 200, answer }
  } catch (error) {
    if (!(error instanceof WaveposeError)) throw error
    return { status: error.status, answer: { code: error.code, message: error.message } }
  }
}

const viaPython = (service: TestService, calls: ReadonlyArray<Call>, asynchronous: boolean): Promise<Json> =>
  runPython("specification.py", {
    url: service.pose,
    password: adminPassword,
    form: calls[0]!.form,
    asynchronous,
    calls: calls.map(({ python }) => python),
  })

const documentOf = async (service: TestService, form: Form): Promise<Json> =>
  await (await fetch(`${service.pose}/api/v1/openapi.${form}.json`)).json()

/** Each client with the results of all calls in a form. */
const clients: ReadonlyArray<
  readonly [string, boolean, (service: TestService, calls: ReadonlyArray<Call>) => Promise<ReadonlyArray<Result>>]
> = [
  ["TypeScript", false, async (service, calls) => {
    const results: Array<Result> = []
    for (const call of calls) results.push(await viaTypeScript(service, call))
    return results
  }],
  ["Python", true, (service, calls) => viaPython(service, calls, false)],
  ["Python, asynchronous", true, (service, calls) => viaPython(service, calls, true)],
]

/** What the answers of the gRPC methods differ in, and the methods that fail, with their status codes. */
const overGrpc = async (service: TestService, calls: ReadonlyArray<Call>, fieldsOf: (call: Call) => Fields) => {
  const { token } = await signIn(service)
  const client = new grpc.Client(service.grpc, grpc.credentials.createInsecure())
  const complaints: Array<string> = []
  const failed: Record<string, number> = {}
  for (const call of calls) {
    const operation = methodOf(call)
    if (operation === undefined) continue
    const { answer, code } = await viaGrpc(client, token, operation, call)
    if (code !== grpc.status.OK) failed[operation.method] = code
    else {complaints.push(
        ...grpcComplaints(operation, answer, fieldsOf(call)).map((text) => `${operation.method}: ${text}`),
      )}
  }
  client.close()
  return { complaints, failed }
}

const matrix = clients.flatMap(([name, needsPython, run]) => forms.map((form) => ({ name, needsPython, run, form })))

describe("a simulated room", () => {
  let service: TestService
  let values: Record<string, string>

  beforeAll(async () => {
    service = await startService({ args: ["--scenario", "small-room"] })
    const api = await signIn(service)
    const frame = await eventually(
      async () => (await api.get("/pose/latest?environment_id=small-room")).body,
      ({ persons }) => persons?.length > 0,
      80_000,
    )
    const now = Date.now()
    values = {
      track_id: frame.persons[0].tracking_info.track_id,
      start: new Date(now - 3_600_000).toISOString(),
      end: new Date(now + 3_600_000).toISOString(),
      password: adminPassword,
    }
  }, 120_000)
  afterAll(() => service?.stop())

  for (const { form, name, needsPython, run } of matrix) {
    it.skipIf(needsPython && skipped !== "")(
      `answers every call of ${name} in the ${form} form${needsPython ? skipped : ""}`,
      async () => {
        const calls = callsIn(form, await documentOf(service, form), values)
        const results = await run(service, calls)
        const complaints = calls.flatMap(({ specified, template }, i) => {
          const { answer, status } = results[i]!
          if (status >= 300) return [`${specified.method} ${template}: ${status} ${JSON.stringify(answer)}`]
          const data = form === "envelope" ? answer.data : answer
          return complaintsOf(data, specified.fields[form]).map((text) => `${specified.method} ${template}: ${text}`)
        })
        expect(complaints).toEqual([])
      },
    )
  }

  it("answers every call over gRPC", async () => {
    const calls = callsIn("bare", await documentOf(service, "bare"), values)
    const unserved = calls.filter((call) => methodOf(call) === undefined).map(({ template }) => template)
    expect(unserved).toEqual(["/api/v1/health"])
    expect(await overGrpc(service, calls, ({ specified }) => specified.fields.bare)).toEqual({
      complaints: [],
      failed: {},
    })
  })

  // The streams run at the same time.
  const together = { concurrent: true, timeout: 120_000 }

  it("streams every frame once and in order to TypeScript, although 20 connections fail", together, async () => {
    const sockets: Array<WebSocket> = []
    class Kept extends WebSocket {
      constructor(url: string) {
        super(url)
        sockets.push(this)
      }
    }
    const options = {
      url: service.pose,
      form: "bare",
      token: passwordToken(service.pose, "admin", adminPassword),
    } as const
    const ids: Array<number> = []
    let drops = 0
    const stream = poseStream(options, {}, { WebSocket: Kept as unknown as typeof WebSocket, retryMs: 20 })
    for await (const { data } of stream) {
      ids.push(data.frame_id)
      const last = sockets.at(-1)!
      if (drops === 20 && last.readyState === WebSocket.OPEN) break
      // A connection that was closed may still deliver what it had received.
      if (drops < 20 && ids.length % 3 === 0 && last.readyState === WebSocket.OPEN) {
        drops++
        last.close()
      }
    }
    expect(sockets.length).toBeGreaterThan(20)
    expect(ids).toEqual(ids.map((_, i) => ids[0]! + i))
  })

  it.skipIf(skipped !== "").each([false, true])(
    `streams every frame once and in order to Python, asynchronous %s, although 20 connections fail${skipped}`,
    together,
    async (asynchronous) => {
      const input = { url: service.pose, password: adminPassword, frames: 90, drops: 20, asynchronous }
      const { drops, frames, limited_pause_s } = await runPython("stream.py", input)
      expect(limited_pause_s).toBe(7)
      const ids: ReadonlyArray<number> = frames.map(([, id]: readonly [string, number]) => id)
      expect(drops).toBe(20)
      expect(ids).toEqual(ids.map((_, i) => ids[0]! + i))
    },
  )

  it("has the operations of the Python client", async () => {
    for (const form of forms) {
      const path = join(clientFolder, "wavepose_client", "generated", `operations_${form}.py`)
      const served = pythonOperations(await documentOf(service, form), form)
      expect(readFileSync(path, "utf8") === served, "run npm run contract -- generate").toBe(true)
    }
  })
})

/** The fields of an answer without data: lists are empty, and values may be null. */
const unknownIn = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([path, type]) => [
      path.replaceAll("[]", "[]*").replaceAll("{}", "{}*").replaceAll("**", "*"),
      `${type.replace("?", "")}?` as Fields[string],
    ]),
  )

/** The calls without an environment: nothing is enrolled, and the specification's bare form names none. */
const withoutEnvironment = (calls: ReadonlyArray<Call>): ReadonlyArray<Call> =>
  calls.map(({ python, query, ...call }) => {
    const { environment_id: _, ...rest } = query
    const { environment_id: __, ...named } = python.named
    return { ...call, query: rest, python: { ...python, named } }
  })

describe("a service without a source", () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  }, 60_000)
  afterAll(() => service?.stop())

  const values = () => ({
    track_id: "1",
    start: new Date(Date.now() - 3_600_000).toISOString(),
    end: new Date(Date.now() + 3_600_000).toISOString(),
    password: adminPassword,
  })

  it("answers every call over gRPC", async () => {
    const calls = withoutEnvironment(callsIn("bare", await documentOf(service, "bare"), values()))
    const { NOT_FOUND } = grpc.status
    expect(await overGrpc(service, calls, ({ specified }) => unknownIn(specified.fields.bare)))
      .toEqual({ complaints: [], failed: { GetLatestPose: NOT_FOUND, ListPoses: NOT_FOUND, GetTrack: NOT_FOUND } })
  })

  /** Statuses of operations that need frames, a track or a router. */
  const withoutFrames: Readonly<Record<string, number>> = {
    "GET /api/v1/pose/latest": 404,
    "GET /api/v1/pose/history": 404,
    "GET /api/v1/pose/tracking/{track_id}": 404,
    "POST /api/v1/pose/process": 404,
  }

  for (const { form, name, needsPython, run } of matrix) {
    it.skipIf(needsPython && skipped !== "")(
      `answers every call of ${name} in the ${form} form${needsPython ? skipped : ""}`,
      async () => {
        const calls = withoutEnvironment(callsIn(form, await documentOf(service, form), values()))
        const results = await run(service, calls)
        const statuses = calls.flatMap(({ specified, template }, i) => {
          const key = `${specified.method} ${template}`
          const expected = withoutFrames[key] ?? 200
          return results[i]!.status === expected ? [] : [`${key}: ${JSON.stringify(results[i])}, not ${expected}`]
        })
        expect(statuses).toEqual([])
        const complaints = calls.flatMap(({ specified, template }, i) => {
          if (results[i]!.status >= 300) return []
          const { answer } = results[i]!
          const data = form === "envelope" ? answer.data : answer
          return complaintsOf(data, unknownIn(specified.fields[form])).map((text) =>
            `${specified.method} ${template}: ${text}`
          )
        })
        expect(complaints).toEqual([])
      },
    )
  }
})
