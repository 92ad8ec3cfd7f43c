/**
 * Every operation of the pose API is what the served document says, in both forms: the cases of `cases`, a table a subject.
 */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type Form, forms } from "../../../protocols/pose-api/forms.ts"
import { accounts } from "./cases/accounts.ts"
import { type Case, credentials, latest, signIn, status, type Subject, templateOf } from "./cases/case.ts"
import { alerts } from "./cases/alerts.ts"
import { configuration } from "./cases/configuration.ts"
import { environments } from "./cases/environments.ts"
import { labels } from "./cases/labels.ts"
import { pose } from "./cases/pose.ts"
import { refusals } from "./cases/refusals.ts"
import { reports } from "./cases/reports.ts"
import { system } from "./cases/system.ts"
import { type Answer, call, type Contract, methodsOf, readContract } from "./contract.ts"
import { type Gateway, startGateway, version } from "./harness.ts"

const subjects: ReadonlyArray<Subject> = [
  accounts,
  pose,
  system,
  environments,
  alerts,
  labels,
  configuration,
  reports,
  refusals,
]

/** Operations that have tests of their own: `history.test.ts`, `labels.test.ts`, `process.test.ts` and `sensing-nodes.test.ts`. */
const testedElsewhere = [
  "GET /pose/history",
  "POST /pose/query",
  "POST /pose/process",
  "GET /labels/export",
  "GET /sensing-nodes",
  ...["enrolment", "revocation", "quarantine", "release"].map((decision) =>
    `POST /sensing-nodes/{node_id}/${decision}`
  ),
]

let gateway: Gateway
let contract: Contract | undefined

beforeEach(async () => {
  gateway = await startGateway()
  // The document is the same for all gateways, and takes longer than most of the tests.
  contract ??= await readContract(gateway)
})
afterEach(() => gateway.stop())

const send = async (test: Case, form: Form): Promise<Answer> => {
  test.given?.(gateway.world)
  const token = test.as === undefined ? test.token : await gateway.token(test.as)
  return call(gateway.url, { ...test, form, ...(token === undefined ? {} : { token }) })
}

const documented = (test: Case, answer: Answer) => contract!.disagreements(test, templateOf(test), answer)

describe.each(forms)("every answer is as documented, %s", (form) => {
  describe.each(subjects)("$subject", ({ successes, failures }) => {
    it.each(successes)("$title", async (test) => {
      const answer = await send(test, form)
      expect(answer.json?.error).toBeUndefined()
      expect(answer.status).toBe(test.status)
      expect(answer.headers.get("x-response-form")).toBe(form)
      expect(documented(test, answer)).toEqual([])
      if (form === "envelope" && answer.json !== null && !/^\/(open|async)api\./.test(test.path)) {
        expect(answer.json.success).toBe(true)
        expect(answer.json.request_id).toBe(answer.headers.get("x-request-id"))
      }
      test.check?.(answer, form, gateway.world)
    })

    it.each(failures)("$status for $title", async (test) => {
      const answer = await send(test, form)
      expect(answer.status).toBe(test.status)
      expect(answer.json.error.code).toBe(typeof test.code === "string" ? test.code : test.code[form])
      expect(documented(test, answer)).toEqual([])
      const requestId = form === "bare" ? answer.json.error.request_id : answer.json.request_id
      expect(requestId).toBe(answer.headers.get("x-request-id"))
      test.check?.(answer, form, gateway.world)
    })
  })
})

describe("the document", () => {
  it("has a case here for every operation and every success", () => {
    const tested = new Set([
      ...subjects.flatMap(({ successes }) => successes).map((test) => `${test.method} ${templateOf(test)}`),
      ...testedElsewhere,
    ])
    const served = Object.entries(contract!.document.paths).filter(([path]) => path.startsWith("/api/v1/"))
      .flatMap(([path, operations]) =>
        methodsOf(operations).map((method) => `${method.toUpperCase()} ${path.slice("/api/v1".length)}`)
      )
    expect(new Set(served)).toEqual(tested)
  })

  it("requires credentials except for health, signing in and out, and the documentation", async () => {
    const open: Array<string> = []
    for (const [path, operations] of Object.entries(contract!.document.paths)) {
      for (const method of methodsOf(operations)) {
        const url = gateway.url + path.replace("{key_id}", "x")
        // Signing in and refreshing say 401 for wrong credentials, and these have none: 422.
        const answer = await fetch(url, { method: method.toUpperCase() })
        await answer.body?.cancel()
        if (answer.status !== 401) open.push(`${method} ${path}`)
        else expect(answer.headers.get("www-authenticate")).toContain("Bearer")
      }
    }
    expect(open.sort()).toEqual([
      "delete /api/v1/auth/session",
      "get /api/v1/asyncapi.json",
      "get /api/v1/health",
      "get /api/v1/health/live",
      "get /api/v1/health/ready",
      "get /api/v1/openapi.bare.json",
      "get /api/v1/openapi.envelope.json",
      "get /api/v1/openapi.json",
      "get /docs",
      "get /docs/script.js",
      "get /docs/style.css",
      "post /api/v1/auth/logout",
      "post /api/v1/auth/refresh",
      "post /api/v1/auth/session",
      "post /api/v1/auth/token",
    ])
  })
})

describe("tokens", () => {
  it("from sign-in are accepted", async () => {
    const { json } = await call(gateway.url, { ...signIn, body: credentials })
    expect(json).toMatchObject({ token_type: "bearer", expires_in: 86400 })
    const answer = await call(gateway.url, { ...latest, token: json.access_token })
    expect(answer.status).toBe(200)
  })
})

describe("status", () => {
  it("reports the service's version and this machine", async () => {
    const { json } = await call(gateway.url, { ...status, token: await gateway.token("viewer") })
    expect(json.version).toBe(version)
    expect(json.hardware.memory_usage).toBeGreaterThan(0)
    expect(json.hardware.disk_usage).toBeGreaterThan(0)
    expect(json.hardware.gpu_memory_usage).toBeNull()
  })

  it("reports health as degraded when the store is down", async () => {
    gateway.world.storeFails = true
    const { json } = await call(gateway.url, { method: "GET", path: "/health" })
    expect(json.status).toBe("degraded")
  })
})
