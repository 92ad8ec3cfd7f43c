import "reflect-metadata"
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from "@peculiar/x509"
import { Cause, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { webcrypto } from "node:crypto"
import { afterEach, describe, expect, it } from "vitest"
import { makeSend, type SenderOptions } from "../../../actors/webhooks/sender.ts"
import { signatureOf } from "../../../actors/webhooks/signature.ts"
import { backOffMs } from "../../../actors/webhooks/back-off.ts"
import { isGenuine, startEndpoint } from "./endpoint.ts"

type Endpoint = Awaited<ReturnType<typeof startEndpoint>>
const endpoints: Array<Endpoint> = []
const start = async (tls?: Parameters<typeof startEndpoint>[0]) => {
  const endpoint = await startEndpoint(tls)
  endpoints.push(endpoint)
  return endpoint
}
afterEach(async () => {
  for (const endpoint of endpoints.splice(0)) await endpoint.stop()
})

const own: SenderOptions = { targets: "private" }

/** Null when the message was accepted, else the failure. */
const send = (url: string, options: SenderOptions = own) =>
  makeSend(options)({ url, headers: { "webhook-id": "m1" }, body: `{"a":"ä"}` }).pipe(
    Effect.as(null),
    Effect.catch((failure) => Effect.succeed(failure)),
    Effect.runPromise,
  )

describe("a message", () => {
  it("is posted completely, and accepted with any status of success", async () => {
    const endpoint = await start()
    for (const status of [200, 201, 202, 204, 299]) {
      endpoint.world.answer = () => status
      expect(await send(endpoint.url)).toBe(null)
    }
    expect(endpoint.received).toHaveLength(5)
    expect(endpoint.received[0]).toMatchObject({
      path: "/hook?site=1",
      body: `{"a":"ä"}`,
      headers: { "webhook-id": "m1", host: `127.0.0.1:${endpoint.port}` },
    })
  })

  it.each([[400, false], [404, false], [410, true], [429, false], [500, false], [503, false]])(
    "is not accepted with status %i",
    async (status, gone) => {
      const endpoint = await start()
      endpoint.world.answer = () => status
      expect(await send(endpoint.url)).toMatchObject({ gone, message: expect.stringContaining(String(status)) })
    },
  )

  it("does not follow redirects", async () => {
    const elsewhere = await start()
    const endpoint = await start()
    endpoint.world.answer = (_, response) => void response.writeHead(307, { location: elsewhere.url }).end()
    expect(await send(endpoint.url)).toMatchObject({ message: expect.stringContaining("redirects are not followed") })
    expect(elsewhere.received).toEqual([])
  })

  it("does not read the body of an answer, whatever its length", async () => {
    const endpoint = await start()
    let written = 0
    let closed: Promise<void> | undefined
    endpoint.world.answer = (_, response) => {
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(65_536))) written += 65_536
      }
      response.on("drain", more)
      response.on("error", () => {})
      closed = new Promise<void>((resolve) => response.on("close", resolve))
      more()
      return undefined
    }
    expect(await send(endpoint.url)).toBe(null)
    await closed
    expect(written).toBeLessThan(64 * 1024 * 1024)
  })

  it("waits ten seconds for an answer, and then closes the connection", async () => {
    const endpoint = await start()
    let closed: Promise<void> | undefined
    endpoint.world.answer = (_, response) => void (closed = new Promise((resolve) => response.on("close", resolve)))
    const exit = await Effect.gen(function* () {
      const sending = yield* Effect.forkChild(makeSend(own)({ url: endpoint.url, headers: {}, body: "{}" }))
      yield* Effect.promise(async () => {
        while (closed === undefined) await new Promise((resolve) => setImmediate(resolve))
      })
      yield* TestClock.adjust("9 seconds")
      expect(sending.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("1 second")
      return yield* Fiber.await(sending)
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)
    expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain("did not answer within 10000 ms")
    await closed
  })

  it("reports why the endpoint could not be reached", async () => {
    const endpoint = await startEndpoint()
    await endpoint.stop()
    expect(await send(endpoint.url)).toMatchObject({ message: expect.stringContaining("could not be reached") })
  })
})

describe("the destination of messages", () => {
  it("is the checked address, whatever the name resolves to later", async () => {
    const endpoint = await start()
    const asked: Array<string> = []
    const resolve = (host: string) => {
      asked.push(host)
      return Promise.resolve(["127.0.0.1"])
    }
    expect(await send(`http://hooks.example.org:${endpoint.port}/x`, { ...own, resolve })).toBe(null)
    expect(asked).toEqual(["hooks.example.org"])
    expect(endpoint.received[0]!.headers.host).toBe(`hooks.example.org:${endpoint.port}`)
  })

  it.each([
    ["a loopback address", ["127.0.0.1"]],
    ["a private address", ["10.1.2.3"]],
    ["a cloud's metadata", ["169.254.169.254"]],
    ["IPv6 that is IPv4", ["::ffff:127.0.0.1"]],
    ["nothing", []],
  ])("is never, in public mode, %s behind a name", async (_, addresses) => {
    const endpoint = await start()
    const options: SenderOptions = { targets: "public", resolve: () => Promise.resolve(addresses) }
    expect(await send(`https://hooks.example.org:${endpoint.port}/x`, options)).toMatchObject({
      message: expect.stringContaining("Calls to hooks.example.org are rejected"),
    })
    expect(endpoint.received).toEqual([])
  })

  it("is not plain text in public mode", async () => {
    const endpoint = await start()
    expect(await send(endpoint.url, { targets: "public" })).toMatchObject({
      message: expect.stringContaining("https://"),
    })
    expect(endpoint.received).toEqual([])
  })

  it("reports a name that does not resolve", async () => {
    const resolve = () => Promise.reject(new Error("no such host"))
    expect(await send("https://hooks.example.org/", { targets: "public", resolve })).toMatchObject({
      message: expect.stringContaining("no such host"),
    })
  })

  it("must present a certificate of the host of the URL", async () => {
    const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"])
    const certificate = await X509CertificateGenerator.createSelfSigned({
      name: "CN=hooks.example.org",
      keys,
      signingAlgorithm: algorithm,
      extensions: [new SubjectAlternativeNameExtension([{ type: "dns", value: "hooks.example.org" }])],
    })
    const key = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64")
    const cert = certificate.toString("pem")
    const endpoint = await start({ key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`, cert })
    const resolve = () => Promise.resolve(["127.0.0.1"])
    const url = (host: string) => `https://${host}:${endpoint.port}/x`
    expect(await send(url("hooks.example.org"), { ...own, resolve, trusted: cert })).toBe(null)
    expect(await send(url("other.example.org"), { ...own, resolve, trusted: cert })).not.toBe(null)
    expect(await send(url("hooks.example.org"), { ...own, resolve })).not.toBe(null)
    expect(endpoint.received).toHaveLength(1)
  })
})

describe("the signature", () => {
  it("is that of the published example of the convention", () => {
    const signature = signatureOf(
      "whsec_plJ3nmyCDGBKInavdOK15jsl",
      "msg_loFOjxBNrRLzqYUf",
      1731705121,
      '{"event_type":"ping","data":{"success":true}}',
    )
    expect(signature).toBe("v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=")
  })

  it("covers the id, the time and every byte of the body, also with a custom secret", () => {
    const headers = { "webhook-id": "m", "webhook-timestamp": "5" }
    const received = {
      path: "/",
      body: "{}",
      headers: { ...headers, "webhook-signature": signatureOf("my own secret text", "m", 5, "{}") },
    }
    expect(isGenuine(received, "my own secret text")).toBe(true)
    expect(isGenuine({ ...received, body: "{ }" }, "my own secret text")).toBe(false)
    expect(isGenuine({ ...received, headers: { ...received.headers, "webhook-timestamp": "6" } }, "my own secret text"))
      .toBe(false)
    expect(isGenuine(received, "another secret text")).toBe(false)
  })
})

it("retries after 5 s, then twice that, up to an hour, with a jitter of 20 %", () => {
  expect([1, 2, 3, 4].map((failures) => backOffMs(failures, 0.5))).toEqual([5_000, 10_000, 20_000, 40_000])
  expect(backOffMs(1, 0)).toBe(4_000)
  expect(backOffMs(1, 1)).toBe(6_000)
  expect(backOffMs(40, 0.5)).toBe(3_600_000)
})
