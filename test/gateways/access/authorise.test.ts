import { expect, it } from "vitest"
import { methodAccess, methodPaths } from "../../../gateways/grpc/access.ts"
import { assertDeclared } from "../../../gateways/access/authorise.ts"
import { channelAccess, channels, clientMessages, messageAccess } from "../../../protocols/pose-api/socket-messages.ts"

it("does not start an edge with an operation that declares no permission", () => {
  expect(() => assertDeclared(["a", "b"], { a: "read" })).toThrow("b declares no access")
  expect(() => assertDeclared(["a"], { a: "raed" })).toThrow("a declares no access")
  expect(() => assertDeclared(["a"], { a: undefined })).toThrow("a declares no access")
  expect(() => assertDeclared(["toString"], {})).toThrow("toString declares no access")
  assertDeclared(["a", "b"], { a: "public", b: "administer" })
})

it("has a permission for every method, channel and message, and an open door for none but the first word", () => {
  expect(Object.keys(methodAccess).sort()).toEqual([...methodPaths].sort())
  expect(Object.keys(channelAccess).sort()).toEqual([...channels].sort())
  expect(Object.keys(messageAccess).sort()).toEqual(Object.keys(clientMessages).sort())
  const open = Object.entries({ ...methodAccess, ...channelAccess, ...messageAccess }).filter(([, access]) =>
    access === "public"
  )
  expect(open).toEqual([["auth", "public"]])
})
