/**
 * The specification's tables of statuses and of error codes, row by row: each is what a real request is answered, in both forms, and as the
 * served OpenAPI document says. Fails when a row is not produced, and when an answer has a status or code that no row has.
 */
import { afterEach, expect, it } from "vitest"
import { defaultConnectionLimits } from "../../../gateways/access/connection-limits.ts"
import { NoFrames } from "../../../protocols/domain/failure.ts"
import { type Form, forms } from "../../../protocols/pose-api/forms.ts"
import { refreshToken } from "./accounts.ts"
import { call, type Contract, readContract, type Request } from "./contract.ts"
import { ampleRules, type Gateway, password, startGateway, users } from "./harness.ts"
import { makeRouterStatus, type World } from "./world.ts"

let gateway: Gateway | undefined
/** The same document of every gateway. */
let contract: Contract | undefined
afterEach(async () => {
  await gateway?.stop()
  gateway = undefined
})

interface Case {
  readonly name: string
  readonly status: number
  /** Null: a success. */
  readonly code: Record<Form, string> | string | null
  readonly request: Request
  /** The path of the endpoint; by default the request's, without its query. */
  readonly template?: string
  readonly as?: "viewer" | "operator" | "admin"
  /** Makes the world such that it happens. */
  readonly when?: (world: World) => void
}

const signIn = { method: "POST", path: "/auth/token", body: { username: users.viewer, password } }
const latest = { method: "GET", path: "/pose/latest" }
const putConfig = (body: unknown) => ({ method: "PUT", path: "/config", body })

const cases: ReadonlyArray<Case> = [
  { name: "success", status: 200, code: null, request: latest, as: "viewer" },
  {
    name: "resource created",
    status: 201,
    code: null,
    request: { method: "POST", path: "/auth/api-keys", body: { name: "scripts", role: "viewer" } },
    as: "admin",
  },
  {
    name: "accepted for processing",
    status: 202,
    code: null,
    request: { method: "POST", path: "/system/restart" },
    as: "operator",
  },
  {
    name: "success without content",
    status: 204,
    code: null,
    request: { method: "POST", path: "/auth/logout", body: { refresh_token: refreshToken } },
  },
  { name: "invalid format", status: 400, code: "VALIDATION_ERROR", request: { ...signIn, body: "{" } },
  { name: "authentication required", status: 401, code: "AUTHENTICATION_ERROR", request: latest },
  {
    name: "insufficient permissions",
    status: 403,
    code: "AUTHORIZATION_ERROR",
    request: { method: "GET", path: "/auth/users" },
    as: "viewer",
  },
  {
    name: "no pose data",
    status: 404,
    code: { bare: "POSE_DATA_NOT_FOUND", envelope: "RESOURCE_NOT_FOUND" },
    request: latest,
    as: "viewer",
    when: (world) => {
      world.latest = (environmentId) => new NoFrames({ environmentId, message: "Nobody has come yet." })
    },
  },
  {
    name: "resource missing",
    status: 404,
    code: "RESOURCE_NOT_FOUND",
    request: { method: "GET", path: "/webhooks/00000000-0000-7000-8000-000000000000" },
    template: "/webhooks/{webhook_id}",
    as: "operator",
  },
  {
    name: "system already running",
    status: 409,
    code: "CONFLICT",
    request: { method: "POST", path: "/system/start", body: {} },
    as: "operator",
  },
  {
    name: "validation errors",
    status: 422,
    code: "VALIDATION_ERROR",
    request: { ...latest, path: "/pose/latest?min_confidence=2" },
    as: "viewer",
  },
  {
    name: "rate limit exceeded",
    status: 429,
    code: "RATE_LIMIT_EXCEEDED",
    request: {
      method: "GET",
      path: "/analytics/occupancy?start_time=2026-01-05T00:00:00Z&end_time=2026-01-06T00:00:00Z",
    },
    as: "viewer",
  },
  {
    name: "internal error",
    status: 500,
    code: "SYSTEM_ERROR",
    request: latest,
    as: "viewer",
    when: (world) => {
      world.latest = () => "broken"
    },
  },
  {
    name: "neural network model failure",
    status: 500,
    code: "MODEL_ERROR",
    request: putConfig({ neural_network: { model_version: "cut" } }),
    as: "operator",
    when: ({ brokenModels }) => void brokenModels.add("cut"),
  },
  {
    name: "hardware communication failure",
    status: 502,
    code: "HARDWARE_ERROR",
    request: { method: "POST", path: "/system/calibration", body: {} },
    as: "operator",
    when: ({ routers }) => {
      for (const id of routers.keys()) routers.set(id, makeRouterStatus(id, { state: "lost" }))
    },
  },
  {
    name: "system not ready",
    status: 503,
    code: "SERVICE_UNAVAILABLE",
    request: signIn,
    when: (world) => {
      world.storeFails = true
    },
  },
  {
    name: "timeout",
    status: 504,
    code: "TIMEOUT",
    request: { method: "POST", path: "/system/restart" },
    as: "operator",
    when: (world) => {
      world.sessionSilent = true
    },
  },
]

/** What the specification lists. */
const specifiedStatuses = [200, 201, 202, 204, 400, 401, 403, 404, 409, 422, 429, 500, 502, 503, 504]
const specifiedCodes = [
  "AUTHENTICATION_ERROR",
  "AUTHORIZATION_ERROR",
  "HARDWARE_ERROR",
  "MODEL_ERROR",
  "POSE_DATA_NOT_FOUND",
  "RATE_LIMIT_EXCEEDED",
  "RESOURCE_NOT_FOUND",
  "SYSTEM_ERROR",
  "VALIDATION_ERROR",
]
/** Codes of statuses to which the specification gives none. */
const ownCodes = ["CONFLICT", "SERVICE_UNAVAILABLE", "TIMEOUT"]

const codeIn = (code: Case["code"], form: Form): string | null =>
  typeof code === "string" || code === null ? code : code[form]

it("has a case for every status and every code of the specification", () => {
  const statuses = new Set(cases.map(({ status }) => status))
  expect([...statuses].sort((a, b) => a - b)).toEqual(specifiedStatuses)
  const codes = new Set(
    cases.flatMap(({ code }) => forms.map((form) => codeIn(code, form)).filter((one) => one !== null)),
  )
  expect([...codes].sort()).toEqual([...specifiedCodes, ...ownCodes].sort())
})

it.each(cases)("$status $name", async ({ as, code, request, status, template, when }) => {
  const one = (rule: "analytics" | "rest") => ({
    ...ampleRules[rule],
    limit: status === 429 ? 1 : ampleRules[rule].limit,
  })
  const rules = { ...ampleRules, analytics: one("analytics"), rest: one("rest") }
  const { token: tokenOf, url, world } = gateway = await startGateway({
    limits: { rules, connections: defaultConnectionLimits },
  })
  contract ??= await readContract(gateway)
  const token = as === undefined ? {} : { token: await tokenOf(as) }
  when?.(world)
  await Promise.all(forms.map(async (form) => {
    const asked: Request = { ...request, form, ...token }
    if (status === 429) await call(url, asked)
    const answer = await call(url, asked)
    expect([form, answer.status, answer.json?.error?.code ?? null]).toEqual([form, status, codeIn(code, form)])
    expect(contract!.disagreements(asked, template ?? request.path.split("?")[0]!, answer)).toEqual([])
  }))
}, 20_000)
