import { Effect } from "effect"
import { expect, it } from "vitest"
import { methodAccess, methodPaths } from "../../../gateways/grpc/access.ts"
import { assertDeclared, authorise } from "../../../gateways/access/authorise.ts"
import { type Role, Scope } from "../../../protocols/domain/identity.ts"
import { channelAccess, channels, clientMessages, messageAccess } from "../../../protocols/pose-api/socket-messages.ts"

it("does not start an edge with an operation that declares no scope", () => {
  expect(() => assertDeclared(["a", "b"], { a: "read:poses" })).toThrow("b declares no access")
  expect(() => assertDeclared(["a"], { a: "raed" })).toThrow("a declares no access")
  expect(() => assertDeclared(["a"], { a: undefined })).toThrow("a declares no access")
  expect(() => assertDeclared(["toString"], {})).toThrow("toString declares no access")
  assertDeclared(["a", "b", "c"], { c: "any", a: "public", b: "admin" })
})

const allowed = (role: Role, scopes?: ReadonlyArray<Scope>): ReadonlyArray<Scope> =>
  Scope.literals.filter((scope) =>
    Effect.runSync(
      Effect.isSuccess(authorise({ kind: "apiKey", id: "k", name: "k", role, ...(scopes && { scopes }) }, scope)),
    )
  )

it("gives a role its scopes, and a limited key only those of its own that the role has", () => {
  const reading = ["read:poses", "read:events", "read:system", "read:home"]
  expect(allowed("viewer")).toEqual(reading)
  expect(allowed("operator")).toEqual([...reading, "process:csi", "write:events", "write:configuration", "write:home"])
  expect(allowed("admin")).toEqual(Scope.literals)
  expect(allowed("operator", ["process:csi", "admin"])).toEqual(["process:csi"])
  expect(allowed("admin", [])).toEqual([])
})

it("has a scope for every method, channel and message, and an open door for none but the first word", () => {
  expect(Object.keys(methodAccess).sort()).toEqual([...methodPaths].sort())
  expect(Object.keys(channelAccess).sort()).toEqual([...channels].sort())
  expect(Object.keys(messageAccess).sort()).toEqual(Object.keys(clientMessages).sort())
  const open = Object.entries({ ...methodAccess, ...channelAccess, ...messageAccess }).filter(([, access]) =>
    access === "public"
  )
  expect(open).toEqual([["auth", "public"]])
})
