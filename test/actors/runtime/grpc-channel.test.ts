import * as grpc from "@grpc/grpc-js"
import { Effect, Layer, type Scope } from "effect"
import { RunnerAddress } from "effect/cluster"
import { RpcClientProtocol } from "effect/cluster/Runners"
import { RpcSerialization } from "effect/rpc"
import { describe, expect, it } from "vitest"
import { createAuthority, issueNodeCertificate, nodeName } from "../../../actors/runtime/credentials.ts"
import { layerClientProtocol, listen } from "../../../actors/runtime/grpc-channel.ts"

// TLS itself checks validity against the wall clock.
const nowMs = Date.now()
const method = "/wavepose.v1.RunnerChannel/Connect"
const asIs = (bytes: Buffer) => bytes

/** A listener that records accepted peers, and the authority that it trusts. */
const startNode = (host = "127.0.0.1") =>
  Effect.gen(function* () {
    const authority = yield* createAuthority(nowMs)
    const credentials = { ...(yield* issueNodeCertificate(authority, nowMs)), credential: "shared" }
    const listener = yield* listen({ host, port: 0, credentials })
    let accepted = 0
    yield* Effect.forkScoped(listener.socketServer.run((socket) =>
      Effect.scoped(Effect.gen(function* () {
        accepted++
        const reader = yield* socket.reader
        const writer = yield* socket.writer
        while (true) for (const chunk of yield* reader.pull) yield* writer.write(chunk)
      }))
    ))
    yield* Effect.yieldNow
    return { authority, credentials, port: listener.port, accepted: () => accepted }
  })

/** The answer to a peer with these credentials: the echo of its bytes, or the status of its rejection. */
const tryPeer = (port: number, tls: grpc.ChannelCredentials, credential: string | null) =>
  Effect.callback<string>((resume) => {
    const client = new grpc.Client(`127.0.0.1:${port}`, tls, {
      "grpc.ssl_target_name_override": nodeName,
      "grpc.default_authority": nodeName,
      "grpc.enable_retries": 0,
    })
    const metadata = new grpc.Metadata()
    if (credential !== null) metadata.set("wavepose-cluster-credential", credential)
    const call = client.makeBidiStreamRequest(method, asIs, asIs, metadata)
    const end = (outcome: string) => {
      resume(Effect.succeed(outcome))
      call.cancel()
      client.close()
    }
    call.on("data", (bytes: Buffer) => end(bytes.toString()))
    call.on("error", (error: grpc.ServiceError) => end(grpc.status[error.code]!))
    call.write(Buffer.from("hello"))
  })

const tlsOf = (credentials: { authorityPem: string; privateKeyPem: string; certificatePem: string }) =>
  grpc.credentials.createSsl(
    Buffer.from(credentials.authorityPem),
    Buffer.from(credentials.privateKeyPem),
    Buffer.from(credentials.certificatePem),
  )

const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Effect.scoped(effect))

describe("runner channel", () => {
  it("carries bytes between nodes of one cluster", () =>
    run(Effect.gen(function* () {
      const node = yield* startNode()
      expect(yield* tryPeer(node.port, tlsOf(node.credentials), "shared")).toBe("hello")
      expect(node.accepted()).toBe(1)
    })))

  it("rejects a peer of the cluster's authority without the credential", () =>
    run(Effect.gen(function* () {
      const node = yield* startNode()
      expect(yield* tryPeer(node.port, tlsOf(node.credentials), null)).toBe("UNAUTHENTICATED")
      expect(yield* tryPeer(node.port, tlsOf(node.credentials), "guessed")).toBe("UNAUTHENTICATED")
      expect(node.accepted()).toBe(0)
    })))

  it("rejects a peer without a certificate, with one of another authority, or without TLS", () =>
    run(Effect.gen(function* () {
      const node = yield* startNode()
      const stranger = yield* createAuthority(nowMs)
      const forged = yield* issueNodeCertificate(stranger, nowMs)
      const trusting = { ...forged, authorityPem: node.credentials.authorityPem }
      const none = grpc.credentials.createSsl(Buffer.from(node.credentials.authorityPem))
      expect(yield* tryPeer(node.port, none, "shared")).toBe("UNAVAILABLE")
      expect(yield* tryPeer(node.port, tlsOf(trusting), "shared")).toBe("UNAVAILABLE")
      expect(yield* tryPeer(node.port, grpc.credentials.createInsecure(), "shared")).toBe("UNAVAILABLE")
      expect(node.accepted()).toBe(0)
    })))

  it("does not connect to a server of another authority", () =>
    run(Effect.gen(function* () {
      const node = yield* startNode()
      const stranger = yield* createAuthority(nowMs)
      const distrusting = { ...node.credentials, authorityPem: stranger.certificatePem }
      expect(yield* tryPeer(node.port, tlsOf(distrusting), "shared")).toBe("UNAVAILABLE")
      expect(node.accepted()).toBe(0)
    })))

  it("carries bytes between nodes whose addresses are of IPv6", () =>
    run(Effect.gen(function* () {
      const node = yield* startNode("::1")
      const protocol = yield* Effect.provide(
        RpcClientProtocol,
        layerClientProtocol(node.credentials).pipe(Layer.provide(RpcSerialization.layerSchemaBinary())),
      )
      yield* protocol.make(RunnerAddress.make("::1", node.port))
      yield* Effect.repeat(Effect.yieldNow, { until: () => node.accepted() === 1 }).pipe(Effect.timeout("5 seconds"))
    })))
})
