import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { keyText } from "../../../core/identity/signed-datagram.ts"
import { Admission } from "../../../gateways/datagrams/admission.ts"
import { makeSigner, type Signer } from "../../../gateways/datagrams/signature.ts"
import {
  type IdentityPolicy,
  nodesMax,
  type NodeStanding,
  type RefusalReason,
} from "../../../protocols/domain/node-identity.ts"
import { type AllowlistDouble, layerAdmission, makeRollDouble } from "../../harness/node-identities.ts"

const datagram = Uint8Array.of(1, 2, 3)
const keyOf = (keyNumber: number) => new Uint8Array(32).fill(keyNumber)
const signerOf = (keyNumber: number, epoch = 1): Signer => makeSigner(keyText(keyNumber, keyOf(keyNumber)), epoch)!

/** An allowlist of nodes with these standings; a node may have a key, derived from its number. */
const allowlistOf = (
  standings: Readonly<Record<string, NodeStanding>>,
  keys: Readonly<Record<number, string>> = {},
): AllowlistDouble => {
  const double = makeRollDouble()
  for (const [nodeId, standing] of Object.entries(standings)) double.standings.set(nodeId, standing)
  for (const [number, nodeId] of Object.entries(keys)) {
    double.keys.set(Number(number), { keyNumber: Number(number), nodeId, key: keyOf(Number(number)), position: null })
  }
  return double
}

type Admit = (bytes: Uint8Array, nodeId?: string | null, byAddress?: boolean) => "admitted" | RefusalReason

const withAdmission = <A>(
  policy: IdentityPolicy,
  allowlist: AllowlistDouble,
  test: (admit: Admit) => Effect.Effect<A>,
): Promise<A> =>
  Effect.gen(function* () {
    const admission = yield* Admission
    return yield* test((bytes, nodeId = "node-1", byAddress = false) => {
      const answer = admission.admit(bytes, () => ({
        byItself: byAddress ? null : nodeId,
        byAddress: byAddress ? nodeId : null,
      }))
      return "reason" in answer ? answer.reason : "admitted"
    })
  }).pipe(
    Effect.provide(layerAdmission(policy, allowlist)),
    Effect.provide(TestClock.layer()),
    Effect.runPromise,
  )

/** Every standing under every policy, without and with a right signature. */
const decisions: Record<NodeStanding, Record<IdentityPolicy, readonly [unsigned: string, signed: string]>> = {
  seen: { open: ["admitted", "admitted"], required: ["quarantined", "quarantined"] },
  released: { open: ["admitted", "admitted"], required: ["admitted", "admitted"] },
  enrolled: { open: ["unsigned", "admitted"], required: ["unsigned", "admitted"] },
  quarantined: { open: ["quarantined", "quarantined"], required: ["quarantined", "quarantined"] },
  revoked: { open: ["revoked", "revoked"], required: ["revoked", "revoked"] },
}

describe("admission", () => {
  for (const [standing, byPolicy] of Object.entries(decisions)) {
    for (const [policy, [unsigned, signed]] of Object.entries(byPolicy)) {
      it(`of a ${standing} node where identity is ${policy}: ${unsigned}, with a signature ${signed}`, () =>
        withAdmission(
          policy as IdentityPolicy,
          allowlistOf({ "node-1": standing as NodeStanding }, { 1: "node-1" }),
          (admit) =>
            Effect.sync(() => {
              expect(admit(datagram)).toBe(unsigned)
              expect(admit(signerOf(1)(datagram))).toBe(signed)
            }),
        ))
    }
  }

  it("treats an unknown node as one that was only seen, and leaves a datagram without a name to its decoder", () =>
    withAdmission("required", allowlistOf({}), (admit) =>
      Effect.sync(() => {
        expect(admit(datagram, "node-9")).toBe("quarantined")
        expect(admit(datagram, "nexmon-10.0.0.1", true)).toBe("quarantined")
        expect(admit(datagram, null)).toBe("admitted")
      })))

  it("rejects wrong keys, wrong signatures, other nodes' names and replays, each by its reason", () =>
    withAdmission(
      "open",
      allowlistOf({ "node-1": "enrolled", "node-2": "enrolled", "node-3": "revoked" }, { 1: "node-1", 2: "node-2" }),
      (admit) =>
        Effect.sync(() => {
          const sign = signerOf(1)
          const signed = sign(datagram)
          expect(admit(signed)).toBe("admitted")
          expect(admit(signed)).toBe("replayed")
          expect(admit(signerOf(1, 0)(datagram))).toBe("replayed")
          const forged = sign(datagram)
          forged[0]! ^= 1
          expect(admit(forged)).toBe("bad_signature")
          expect(admit(signerOf(3)(datagram))).toBe("unknown_key")
          expect(admit(signerOf(3)(datagram), "node-3")).toBe("revoked")
          expect(admit(signerOf(2)(datagram))).toBe("wrong_node")
          // What was forged has not moved the window: the sequence it used is free.
          expect(admit(sign(datagram))).toBe("admitted")
        }),
    ))

  it("names a node by its key, before its address", () =>
    withAdmission(
      "open",
      allowlistOf({ "nexmon-10.0.0.1": "enrolled" }, { 1: "nexmon-10.0.0.1" }),
      (admit) =>
        Effect.sync(() => {
          expect(admit(signerOf(1)(datagram), "nexmon-192.168.0.9", true)).toBe("admitted")
          expect(admit(datagram, "nexmon-10.0.0.1", true)).toBe("unsigned")
        }),
    ))

  it("rejects all datagrams before the first allowlist, and uses the last allowlist while the store fails", () => {
    const allowlist = allowlistOf({ "node-1": "enrolled" }, { 1: "node-1" })
    allowlist.fails = true
    return withAdmission("open", allowlist, (admit) =>
      Effect.gen(function* () {
        expect(admit(datagram)).toBe("identities_unavailable")
        allowlist.fails = false
        yield* TestClock.adjust("1 second")
        expect(admit(datagram)).toBe("unsigned")
        allowlist.fails = true
        allowlist.standings.set("node-1", "revoked")
        yield* TestClock.adjust("3 seconds")
        expect(admit(datagram)).toBe("unsigned")
        allowlist.fails = false
        yield* TestClock.adjust("1 second")
        expect(admit(datagram)).toBe("revoked")
      }))
  })

  it("accepts no datagram twice, after a restart or from another listener", async () => {
    const allowlist = allowlistOf({ "node-1": "enrolled" }, { 1: "node-1" })
    const sign = signerOf(1, 7)
    const sent = [1, 2, 3].map(() => sign(datagram))
    const next = sign(datagram)
    await withAdmission("open", allowlist, (admit) =>
      Effect.sync(() => {
        for (const bytes of sent) expect(admit(bytes)).toBe("admitted")
      }))
    expect(allowlist.reportedKeys).toEqual([{ keyNumber: 1, epoch: 7, sequence: 2 }])
    await withAdmission("open", allowlist, (admit) =>
      Effect.gen(function* () {
        for (const bytes of sent) expect(admit(bytes)).toBe("replayed")
        allowlist.keys.set(1, { ...allowlist.keys.get(1)!, position: { epoch: 7, sequence: 3 } })
        yield* TestClock.adjust("1 second")
        expect(admit(next)).toBe("replayed")
        expect(admit(sign(datagram))).toBe("admitted")
      }))
  })

  it("stores nodes at once when they are new or begin to sign, else every ten seconds, and a bounded number of them", () => {
    const allowlist = allowlistOf({ "node-1": "enrolled" }, { 1: "node-1" })
    const reported = () => allowlist.reportedNodes.splice(0).map(({ nodeId, signed }) => `${nodeId} ${signed}`)
    return withAdmission("open", allowlist, (admit) =>
      Effect.gen(function* () {
        const sign = signerOf(1)
        admit(sign(datagram))
        // Another sender in its name does not make it look unsigned.
        admit(datagram)
        admit(datagram, "node-2")
        yield* TestClock.adjust("1 second")
        expect(reported()).toEqual(["node-1 true", "node-2 false"])
        for (let s = 0; s < 8; s++) {
          admit(datagram, "node-2")
          yield* TestClock.adjust("1 second")
        }
        expect(reported()).toEqual([])
        allowlist.standings.set("node-2", "enrolled")
        allowlist.keys.set(2, { keyNumber: 2, nodeId: "node-2", key: keyOf(2), position: null })
        yield* TestClock.adjust("1 second")
        admit(signerOf(2)(datagram), "node-2")
        yield* TestClock.adjust("1 second")
        expect(reported()).toEqual(["node-2 true"])
        yield* TestClock.adjust("60 seconds")
        expect(reported()).toEqual([])
        admit(sign(datagram))
        yield* TestClock.adjust("1 second")
        expect(reported()).toEqual(["node-1 true"])
        for (let i = 0; i < 2 * nodesMax; i++) admit(datagram, `nexmon-${i}`, true)
        yield* TestClock.adjust("1 second")
        expect(reported()).toHaveLength(nodesMax)
      }))
  })
})
