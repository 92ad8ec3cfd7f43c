/** The gRPC edge with TLS: its certificate and its replacement, and certificates of clients. */
import * as grpc from "@grpc/grpc-js"
import { Effect, Queue, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { createAuthority, issueNodeCertificate } from "../../../actors/runtime/credentials.ts"
import type { Certificate } from "../../../gateways/http/tls.ts"
import { channelCredentials } from "../../../gateways/grpc/client-credentials.ts"
import { poseFrame } from "../cluster.ts"
import { getLatest } from "./clients.ts"
import { withServer } from "./moody-routers.ts"
import { fixedTls, selfSigned } from "./tools.ts"

/** An authority, and a client's certificate that it has signed. */
const makeClient = async () => {
  const authority = await Effect.runPromise(createAuthority(Date.now()))
  const made = await Effect.runPromise(issueNodeCertificate(authority, Date.now()))
  return {
    authorityPem: authority.certificatePem,
    certificate: { certPem: made.certificatePem, keyPem: made.privateKeyPem },
  }
}

type Shown = Pick<Certificate, "certPem" | "keyPem"> | null

/** The status of a call on a new connection, which trusts `rootCertPem` and shows `clientCertificate`. */
const statusOf = (port: number, rootCertPem: string | null, clientCertificate: Shown = null) =>
  Effect.acquireUseRelease(
    Effect.sync(() => new grpc.Client(`localhost:${port}`, channelCredentials({ rootCertPem, clientCertificate }))),
    (client) => Effect.map(getLatest(client, "room"), ({ code }) => grpc.status[code]),
    (client) => Effect.sync(() => client.close()),
  )

describe("gRPC edge: TLS", () => {
  it("serves clients that trust its certificate, and not in plain text", async () => {
    const certificate = await selfSigned()
    await withServer(({ environments, port }) =>
      Effect.gen(function* () {
        environments.publish(poseFrame("room", 1))
        expect(yield* statusOf(port, certificate.certPem)).toBe("OK")
        expect(yield* statusOf(port, (yield* Effect.promise(() => selfSigned())).certPem)).toBe("UNAVAILABLE")
        expect(yield* statusOf(port, null)).toBe("UNAVAILABLE")
      }), { host: "localhost", tls: fixedTls(certificate) })
  })

  it("does not start with an invalid certificate, a wrong key or invalid authorities", async () => {
    const [own, other] = [await selfSigned(), await selfSigned()]
    const unusable = [
      { certPem: "none", keyPem: "none" },
      { ...own, keyPem: "none" },
      { ...own, keyPem: other.keyPem },
      { ...own, clientCaPem: "none" },
    ]
    for (const certificate of unusable) {
      const started = withServer(() => Effect.void, { tls: fixedTls(certificate) })
      await expect(started).rejects.toThrow("Cannot listen for gRPC on 127.0.0.1:0")
    }
  })

  it.each(
    [
      ["none", "OK", "OK", "OK"],
      ["optional", "OK", "OK", "UNAVAILABLE"],
      ["required", "UNAVAILABLE", "OK", "UNAVAILABLE"],
    ] as const,
  )("client certificates %s: without one %s, its own %s, a foreign one %s", async (clients, ...expected) => {
    const [certificate, known, foreign] = await Promise.all([selfSigned(), makeClient(), makeClient()])
    const tls = fixedTls(
      clients === "none" ? certificate : { ...certificate, clientCaPem: known.authorityPem },
      clients,
    )
    await withServer(({ environments, port }) =>
      Effect.gen(function* () {
        environments.publish(poseFrame("room", 1))
        const statuses = yield* Effect.forEach(
          [null, known.certificate, foreign.certificate],
          (shown) => statusOf(port, certificate.certPem, shown),
        )
        expect(statuses).toEqual(expected)
      }), { host: "localhost", tls })
  })

  it("replaces its certificate and the authorities of clients while calls go on", async () => {
    const [first, second] = [await selfSigned(), await selfSigned()]
    const [old, renewed] = [await makeClient(), await makeClient()]
    const changes = Effect.runSync(Queue.unbounded<Certificate>())
    const tls = {
      certificates: { current: { ...first, clientCaPem: old.authorityPem }, changes: Stream.fromQueue(changes) },
      clients: "required",
    } as const
    await withServer(({ environments, port }) =>
      Effect.gen(function* () {
        environments.publish(poseFrame("room", 1))
        const open = new grpc.Client(
          `localhost:${port}`,
          channelCredentials({ rootCertPem: first.certPem, clientCertificate: old.certificate }),
        )
        expect((yield* getLatest(open, "room")).code).toBe(grpc.status.OK)
        yield* Queue.offer(changes, { ...second, clientCaPem: renewed.authorityPem })
        const replaced = Effect.map(statusOf(port, second.certPem, renewed.certificate), (code) => code === "OK")
        yield* Effect.repeat(replaced, { until: (is) => is })
        expect(yield* statusOf(port, first.certPem, renewed.certificate)).toBe("UNAVAILABLE")
        expect(yield* statusOf(port, second.certPem, old.certificate)).toBe("UNAVAILABLE")
        expect((yield* getLatest(open, "room")).code).toBe(grpc.status.OK)
        open.close()
      }), { host: "localhost", tls })
  })

  it("serves the processes of the service on loopback without TLS", async () => {
    const certificate = await selfSigned()
    const { authorityPem } = await makeClient()
    await withServer(({ environments, localPort }) =>
      Effect.gen(function* () {
        environments.publish(poseFrame("room", 1))
        expect(yield* statusOf(localPort, null)).toBe("OK")
      }), { tls: fixedTls({ ...certificate, clientCaPem: authorityPem }, "required") })
  })
})
