/** The clients when the sign-ins of their user are ended: with a password they sign in again, and go on. */
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createGrpcClient, grpcPoseStream } from "../../protocols/clients/typescript/grpc.ts"
import { createClient, passwordToken, type WaveposeError } from "../../protocols/clients/typescript/mod.ts"
import { adminPassword, startService, type TestService } from "../harness/service.ts"
import { python, root, runScript } from "./tools.ts"

const installed = await python("client")
const skipped = "reason" in installed ? ` (skipped: ${installed.reason})` : ""

const successive = (ids: ReadonlyArray<number>) => ids.map((_, i) => ids[0]! + i)

describe("a client whose sign-in has ended", () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService({ args: ["--scenario", "small-room"] })
  }, 120_000)
  afterAll(() => service?.stop())

  it("goes on over gRPC in TypeScript, if it has a password", { timeout: 120_000 }, async () => {
    const token = passwordToken(service.pose, "admin", adminPassword)
    const rest = createClient({ url: service.pose, form: "bare", token })
    const grpc = createGrpcClient({ address: service.grpc, token })
    /** Ends all sign-ins of the user, as a change of the password does. */
    const revoke = async () => {
      const { users: [user] } = await rest.get("/api/v1/auth/users")
      const body = { password: adminPassword }
      await rest.put("/api/v1/auth/users/{user_id}", { path: { user_id: user!.user_id }, body })
    }
    const ends: Array<WaveposeError> = []
    const ids: Array<number> = []
    for await (const { frame_id } of grpcPoseStream(grpc.options, {}, { onDisconnect: (error) => ends.push(error) })) {
      ids.push(frame_id)
      if (ids.length === 1) await revoke()
      if (ends.length > 0) break
    }
    expect(ids).toEqual(successive(ids))
    expect(ends).toMatchObject([{ status: 401 }])
    await revoke()
    expect((await grpc.EnvironmentService.ListEnvironments()).environments).toHaveLength(1)
    const given = await token()
    await revoke()
    await expect(grpcPoseStream({ address: service.grpc, token: given }).next()).rejects.toMatchObject({ status: 401 })
    grpc.close()
  })

  it.skipIf(skipped !== "").each([false, true])(
    `goes on in Python, asynchronous %s, if it has a password${skipped}`,
    { timeout: 120_000 },
    async (asynchronous) => {
      if ("reason" in installed) return
      const input = { url: service.pose, address: service.grpc, password: adminPassword, asynchronous }
      const environment = { PYTHONPATH: join(root, "protocols", "clients", "python") }
      const answer = await runScript(join(installed.bin, "python"), "revoked.py", input, environment) as
        & Record<"socket" | "grpc", readonly [ids: ReadonlyArray<number>, failures: ReadonlyArray<number>]>
        & { readonly sign_ins: number }
      const { grpc: [grpcIds, grpcFailures], socket: [socketIds, socketFailures] } = answer
      expect([socketIds, grpcIds]).toEqual([successive(socketIds), successive(grpcIds)])
      expect([socketFailures, grpcFailures]).toEqual([[4401], [401]])
      // One at first, and one after each revocation, also where several requests are rejected at the same time.
      expect(answer.sign_ins).toBe(6)
    },
  )
})
