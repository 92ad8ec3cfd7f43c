/** HTTPS, wss and gRPC of the service with the certificate of PEM files, which is replaced while the service runs. */
import * as grpc from "@grpc/grpc-js"
import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { request } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TLSSocket } from "node:tls"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { createAuthority, issueNodeCertificate } from "../../actors/runtime/credentials.ts"
import { channelCredentials } from "../../gateways/grpc/client-credentials.ts"
import { codecOf } from "../../protocols/grpc/contract/transcode.ts"
import { selfSigned } from "../gateways/grpc/tools.ts"
import { adminPassword, eventually, startService, type TestService } from "../harness/service.ts"

interface Asked {
  readonly status: number
  readonly cookie: string
  readonly body: string
  /** Of the certificate that the server showed. */
  readonly fingerprint: string
}

/** Asks on a new connection, which trusts this certificate alone; null: any. */
const ask = (url: string, ca: string | null, body?: unknown, token?: string): Promise<Asked> =>
  new Promise((resolve, reject) => {
    const options = {
      method: body === undefined ? "GET" : "POST",
      ...(ca === null ? { rejectUnauthorized: false } : { ca }),
      agent: false as const,
      headers: {
        "content-type": "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
    }
    const asked = request(url, options, (response) => {
      const { fingerprint256 } = (response.socket as TLSSocket).getPeerCertificate()
      let text = ""
      response.on("data", (bytes) => text += String(bytes))
      response.on("end", () =>
        resolve({
          status: response.statusCode!,
          cookie: String(response.headers["set-cookie"] ?? ""),
          body: text,
          fingerprint: fingerprint256,
        }))
    })
    asked.on("error", reject)
    asked.end(body === undefined ? undefined : JSON.stringify(body))
  })

/** The status of a call with this client certificate; `UNAUTHENTICATED` is an answer of the service. */
const grpcStatus = (
  address: string,
  rootCertPem: string,
  clientCertificate: { readonly certPem: string; readonly keyPem: string } | null,
): Promise<string> => {
  const client = new grpc.Client(address, channelCredentials({ rootCertPem, clientCertificate }))
  const { decode } = codecOf("GetLatestPoseResponse")
  const request = Buffer.from(codecOf("GetLatestPoseRequest").encode({}))
  return new Promise<string>((resolve) =>
    client.makeUnaryRequest(
      "/wavepose.v1.PoseService/GetLatestPose",
      (bytes: Buffer) => bytes,
      decode,
      request,
      (error) => resolve(error === null ? "OK" : grpc.status[error.code]),
    )
  ).finally(() => client.close())
}

describe("a service with WAVEPOSE_TLS_CERT and WAVEPOSE_TLS_KEY", () => {
  const folder = mkdtempSync(join(tmpdir(), "wavepose-tls-"))
  const files = { certFile: join(folder, "cert.pem"), keyFile: join(folder, "key.pem") }
  let service: TestService
  let certPem: string
  let clientCertificate: { readonly certPem: string; readonly keyPem: string }

  const install = async (): Promise<string> => {
    const made = await selfSigned()
    writeFileSync(files.keyFile, made.keyPem)
    writeFileSync(files.certFile, made.certPem)
    return made.certPem
  }

  beforeAll(async () => {
    certPem = await install()
    const authority = await Effect.runPromise(createAuthority(Date.now()))
    const issued = await Effect.runPromise(issueNodeCertificate(authority, Date.now()))
    clientCertificate = { certPem: issued.certificatePem, keyPem: issued.privateKeyPem }
    const clientCa = join(folder, "client-ca.pem")
    writeFileSync(clientCa, authority.certificatePem)
    service = await startService({
      args: ["--scenario", "small-room"],
      env: {
        WAVEPOSE_HOST: "localhost",
        WAVEPOSE_TLS_CERT: files.certFile,
        WAVEPOSE_TLS_KEY: files.keyFile,
        WAVEPOSE_GRPC_CLIENT_CA: clientCa,
      },
    })
  }, 60_000)
  afterAll(async () => {
    await service?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it("serves the pose API and the home API over HTTPS", async () => {
    expect(service.pose).toMatch(/^https:\/\/localhost:/)
    expect((await ask(`${service.pose}/api/v1/health`, certPem)).status).toBe(200)
    expect((await ask(`${service.home}/api/`, certPem)).status).toBe(401)
  })

  it("is not trusted without its certificate", async () => {
    const { certPem: other } = await selfSigned()
    await expect(ask(`${service.pose}/api/v1/health`, other)).rejects.toThrow()
  })

  it("sends the console's cookie over TLS alone", async () => {
    const credentials = { username: "admin", password: adminPassword }
    const { cookie, status } = await ask(`${service.pose}/api/v1/auth/session`, certPem, credentials)
    expect(status).toBe(200)
    expect(cookie).toContain("; Secure")
  })

  it("serves the WebSocket as wss", async () => {
    const credentials = { username: "admin", password: adminPassword }
    const { access_token: token } = JSON.parse(
      (await ask(`${service.pose}/api/v1/auth/token`, certPem, credentials)).body,
    )
    const socket = new WebSocket(`${service.pose.replace("https", "wss")}/ws/pose?token=${token}`, { ca: certPem })
    const first = await new Promise<string>((resolve, reject) => {
      socket.once("message", (data) => resolve(data.toString()))
      socket.once("error", reject)
    })
    socket.terminate()
    expect(JSON.parse(first).type).toBe("connection_established")
  })

  it("serves gRPC to clients with a certificate, while its own source sends frames", async () => {
    expect(await grpcStatus(service.grpc, certPem, clientCertificate)).toBe("UNAUTHENTICATED")
    expect(await grpcStatus(service.grpc, certPem, null)).toBe("UNAVAILABLE")
    const credentials = { username: "admin", password: adminPassword }
    const { access_token: token } = JSON.parse(
      (await ask(`${service.pose}/api/v1/auth/token`, certPem, credentials)).body,
    )
    const latest = () => ask(`${service.pose}/api/v1/pose/latest`, certPem, undefined, token)
    await eventually(latest, ({ status }) => status === 200, 60_000)
  }, 80_000)

  it("ends a connection without TLS, and keeps serving", async () => {
    await expect(fetch(`${service.pose.replace("https", "http")}/api/v1/health`)).rejects.toThrow()
    expect((await ask(`${service.pose}/api/v1/health`, certPem)).status).toBe(200)
  })

  it("replaces the certificate when its files change, and not by an unusable one", async () => {
    const { fingerprint } = await ask(`${service.pose}/api/v1/health`, certPem)
    writeFileSync(files.certFile, "no certificate")
    await eventually(
      () => Promise.resolve(service.output()),
      (text) => text.includes("the certificate was not replaced"),
    )
    expect((await ask(`${service.pose}/api/v1/health`, certPem)).fingerprint).toBe(fingerprint)
    const renewed = await install()
    for (const url of [`${service.pose}/api/v1/health`, `${service.home}/api/`]) {
      await eventually(() => ask(url, null), (asked) => asked.fingerprint !== fingerprint)
      expect((await ask(url, renewed)).status).toBeLessThan(500)
    }
    await eventually(
      () => grpcStatus(service.grpc, renewed, clientCertificate),
      (status) => status === "UNAUTHENTICATED",
    )
  }, 60_000)
})
