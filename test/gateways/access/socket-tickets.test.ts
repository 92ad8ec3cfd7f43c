import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { CredentialStatus } from "../../../gateways/access/credential-status.ts"
import { KeyRing } from "../../../gateways/access/signing-key-cache.ts"
import { SocketTickets } from "../../../gateways/access/socket-tickets.ts"
import { Tokens } from "../../../gateways/access/tokens.ts"
import type { Caller, Principal } from "../../../protocols/domain/identity.ts"
import { RateCounts } from "../../../protocols/ports/rate-counts.ts"
import { SigningKeys } from "../../../protocols/ports/signing-keys.ts"
import { countsDouble } from "../pose/accounts.ts"

const principal: Principal = { kind: "user", id: "vera", name: "vera", role: "viewer" }
const vera: Caller = {
  ...principal,
  sessionId: "00000000-0000-7000-8000-000000000001",
  isConsole: false,
  expiresAtMs: 60_000,
}
const service: Caller = {
  kind: "apiKey",
  id: "k1",
  name: "service",
  role: "viewer",
  sessionId: null,
  isConsole: false,
  expiresAtMs: null,
}

const layer = () => {
  const ended = new Set<string>()
  const standing = Layer.succeed(CredentialStatus, {
    known: () => undefined,
    principalOf: ({ id, kind }) =>
      Effect.succeed(
        ended.has(id) ? null : kind === "session" ? principal : { kind: "apiKey", id, name: "service", role: "viewer" },
      ),
    ended: () => Effect.never,
    forget: () => Effect.void,
  })
  const shared = Layer.mergeAll(
    standing,
    KeyRing.layer(Redacted.make("an operator's secret of 32 bytes!")).pipe(
      Layer.provide(Layer.succeed(SigningKeys, { all: Effect.succeed([]), rotate: () => Effect.succeed([]) })),
    ),
    Layer.succeed(RateCounts, countsDouble()),
    NodeCrypto.layerSecureRandom,
  )
  return {
    ended,
    layer: Layer.merge(SocketTickets.layer, Tokens.layer).pipe(
      Layer.provideMerge(shared),
      Layer.provideMerge(TestClock.layer()),
    ),
  }
}

/** The caller of a ticket, or the tag of the failure. */
const redeemed = (ticket: string) =>
  Effect.flatMap(SocketTickets, ({ redeem }) => redeem(ticket)).pipe(
    Effect.match({ onSuccess: (caller): Caller | string => caller, onFailure: ({ _tag }) => _tag }),
  )

it.each([vera, service])("open one connection as their caller: %o", (caller) =>
  Effect.gen(function* () {
    const { issue } = yield* SocketTickets
    const { lifetimeS, ticket } = yield* issue(caller)
    expect(lifetimeS).toBe(30)
    expect(yield* redeemed(ticket)).toEqual(caller)
    expect(yield* redeemed(ticket)).toBe("NotAuthenticated")
    expect(yield* redeemed((yield* issue(caller)).ticket)).toEqual(caller)
  }).pipe(Effect.provide(layer().layer), Effect.runPromise))

it("end after 30 seconds", () =>
  Effect.gen(function* () {
    const { ticket } = yield* (yield* SocketTickets).issue(vera)
    yield* TestClock.adjust("30 seconds")
    expect(yield* redeemed(ticket)).toBe("NotAuthenticated")
  }).pipe(Effect.provide(layer().layer), Effect.runPromise))

it("end with the credential of their caller", () => {
  const { ended, layer: nodes } = layer()
  return Effect.gen(function* () {
    const { ticket } = yield* (yield* SocketTickets).issue(service)
    ended.add("k1")
    expect(yield* redeemed(ticket)).toBe("NotAuthenticated")
  }).pipe(Effect.provide(nodes), Effect.runPromise)
})

it("are no access tokens, and access tokens are no tickets", () =>
  Effect.gen(function* () {
    const tokens = yield* Tokens
    const { ticket } = yield* (yield* SocketTickets).issue(vera)
    expect(yield* Effect.flip(tokens.verify(ticket))).toMatchObject({ _tag: "NotAuthenticated" })
    const { token } = yield* tokens.issue({ userId: "vera", sessionId: vera.sessionId! })
    expect(yield* redeemed(token)).toBe("NotAuthenticated")
    expect(yield* redeemed("")).toBe("NotAuthenticated")
  }).pipe(Effect.provide(layer().layer), Effect.runPromise))
