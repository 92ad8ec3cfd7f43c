/** The feed over gRPC, from the service's edge to an egress process: unchanged records, rejected records, authentication. */
import { Effect, Redacted, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { gate } from "../../../core/privacy/gate.ts"
import { layerRemoteFeed } from "../../../gateways/egress/remote-feed.ts"
import type { EdgeRecord } from "../../../protocols/domain/sensing.ts"
import { decodeEdgeUpdate, encodeEdgeUpdate } from "../../../protocols/grpc/edge-record.ts"
import { EdgeFeed } from "../../../protocols/ports/edge-feed.ts"
import { edgeRecord, nowMs } from "../../harness/edge-records.ts"
import { RouterDouble } from "../cluster.ts"
import { withGrpcServer } from "../grpc/site.ts"

/** Runs a test against the feed of a server on which these nodes speak. */
const withFeed = (
  records: ReadonlyArray<EdgeRecord>,
  test: (feed: EdgeFeed["Service"]) => Effect.Effect<void>,
  key = "viewer",
) =>
  withGrpcServer(
    ({ nodes, port }) => {
      for (const record of records) nodes.say(record)
      return Effect.flatMap(EdgeFeed, test).pipe(Effect.provide(layerRemoteFeed({
        address: `127.0.0.1:${port}`,
        apiKey: Redacted.make(key),
        rootCertPem: null,
      })))
    },
    {},
    new RouterDouble(() => Effect.never),
  )

const first = (feed: EdgeFeed["Service"], count: number) =>
  Effect.map(
    Stream.runCollect(Stream.take(feed.watch("bridge"), count)),
    (records) => [...records].map((released) => released.record),
  )

describe("a record", () => {
  const nothing: EdgeRecord = {
    ...edgeRecord("new", { sensing: null, events: null, scan: null }),
    entry: {
      nodeId: "new",
      environmentId: null,
      kind: null,
      online: false,
      lastSeenMs: null,
      privacyClass: 2,
      firmware: null,
      rssiDbm: null,
      packetRateHz: null,
      packetLoss: null,
      standing: "seen",
      signed: null,
    },
  }
  const whole = edgeRecord("kitchen")

  it.each([["with all fields", whole], ["without optional fields", nothing]])(
    "%s is decoded unchanged",
    (_, record) => {
      const verdict = gate(record, 2, "grpc")
      if (verdict.decision === "refuse") throw new Error(verdict.refusal.reason)
      expect(decodeEdgeUpdate(encodeEdgeUpdate(verdict.released))).toEqual({ record })
    },
  )

  it("passes the service's gRPC edge unchanged, including all digits of the nanoseconds", () =>
    withFeed([whole, nothing], (feed) =>
      Effect.gen(function* () {
        const records = yield* first(feed, 2)
        expect(records.toSorted((a, b) => a.nodeId < b.nodeId ? -1 : 1)).toEqual([whole, nothing])
        expect((yield* feed.current("bridge")).map(({ record }) => record)).toEqual([whole, nothing])
      }).pipe(Effect.orDie)))

  it("of class restricted lacks the removed fields, which are named", () =>
    withFeed([edgeRecord("bedroom", { privacyClass: 3 })], (feed) =>
      Effect.gen(function* () {
        const [released] = yield* feed.current("bridge")
        expect(released!.redactedFields).toEqual(
          ["breathing_rate_bpm", "heartrate_bpm", "anomaly_score", "env_shift_score", "node_coherence"],
        )
        expect(released!.record.sensing).toMatchObject({ anomalyScore: null, nodeCoherence: null })
      }).pipe(Effect.orDie)))
})

describe("an end", () => {
  it.each([0, 1] as const)(
    "is the rejection of class %i, worded for this egress",
    (privacyClass) =>
      withFeed([edgeRecord("cellar", { privacyClass, seenMs: nowMs + 9 })], (feed) =>
        Effect.gen(function* () {
          const refused = yield* Effect.flip(Stream.runDrain(feed.watch("mqtt")))
          expect(refused).toMatchObject({
            _tag: "ClassRefused",
            nodeId: "cellar",
            refusal: { privacyClass, destination: "mqtt" },
            message: expect.stringMatching(/Node cellar: .*may not leave by MQTT/) as string,
          })
          expect(yield* Effect.flip(feed.current("mqtt"))).toMatchObject({
            _tag: "StoreUnavailable",
            message: expect.stringMatching(/may not leave by gRPC/) as string,
          })
        }).pipe(Effect.orDie)),
  )

  it("is the rejection of the credentials", () =>
    withFeed([], (feed) =>
      Effect.gen(function* () {
        expect(yield* Effect.flip(Stream.runDrain(feed.watch("bridge")))).toMatchObject({ _tag: "StoreUnavailable" })
      }).pipe(Effect.orDie), "nobody"))
})
