/** Requests of operations as messages: what they cannot say, and the field `clear` that says it. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { makeOperation } from "../../../gateways/grpc/operations.ts"
import { route } from "../../../gateways/pose/server/route.ts"
import { operationList } from "../../../protocols/grpc/contract/operations.ts"
import { codecOf, type Json } from "../../../protocols/grpc/contract/transcode.ts"
import { putConfiguration } from "../../../protocols/pose-api/configuration.ts"
import { InvalidRequest } from "../../../protocols/pose-api/edge-failures.ts"
import { changeEnvironment } from "../../../protocols/pose-api/environment-changes.ts"

const seen = InvalidRequest.of("test", "has seen the body")
const client = { address: () => "127.0.0.1", header: () => undefined } as unknown as Parameters<
  ReturnType<typeof makeOperation>
>[2]

/** The body that the handler receives; a failure of the input otherwise. */
const bodyOf = async (endpoint: typeof changeEnvironment | typeof putConfiguration, request: Json) => {
  const operation = operationList.find((one) => one.endpoint === endpoint)!
  let received: unknown
  const handled = route(endpoint as typeof changeEnvironment, ({ body }) => {
    received = body
    return Effect.fail(seen)
  })
  const call = makeOperation(operation, handled)
  const bytes = codecOf(`${operation.method}Request`).encode(request)
  const failure = await Effect.runPromise(Effect.flip(call(bytes, null, client)))
  return failure === seen ? received : failure
}

describe("a change over gRPC", () => {
  const environment_id = "attic"

  it("keeps what a request leaves out, and clears what it names", async () => {
    expect(await bodyOf(changeEnvironment, { environment_id, name: "Loft", zones: [] })).toEqual({ name: "Loft" })
    expect(await bodyOf(changeEnvironment, { environment_id, clear: ["zones", "routers", "geometry"] }))
      .toEqual({ zones: [], routers: [], geometry: null })
  })

  it("clears a setting that is null for all", async () => {
    const body = await bodyOf(putConfiguration, { clear: ["neural_network.model_version"] })
    expect(body).toMatchObject({ neural_network: { model_version: null } })
  })

  it("rejects a member that the request both sets and clears", async () => {
    const zones = [{ zone_id: "desk", name: "Desk", polygon: [{ x: 0, y: 0 }, { x: 1, y: 0 }, { x: 1, y: 1 }] }]
    const rejected = { errors: [{ field: "clear", message: "names a member that the request also sets" }] }
    expect(await bodyOf(changeEnvironment, { environment_id, zones, clear: ["zones"] })).toMatchObject(rejected)
    const network = { neural_network: { model_version: "v1" }, clear: ["neural_network.model_version"] }
    expect(await bodyOf(putConfiguration, network)).toMatchObject(rejected)
    expect(await bodyOf(changeEnvironment, { environment_id, clear: ["zones", "zones"] })).toEqual({ zones: [] })
  })

  it("names a member that cannot be cleared", async () => {
    expect(await bodyOf(changeEnvironment, { environment_id, clear: ["name"] })).toMatchObject({
      errors: [{ field: "clear", received: "name", message: expect.stringContaining("geometry, zones, routers") }],
    })
  })
})
