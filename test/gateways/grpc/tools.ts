/** What the edge's tests need from outside: clients of health and reflection, as tools use them, and a certificate. */
import "reflect-metadata"
import * as grpc from "@grpc/grpc-js"
import * as protoLoader from "@grpc/proto-loader"
import * as x509 from "@peculiar/x509"
import { protoPath } from "grpc-health-check"
import { Stream } from "effect"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { ClientCertificates, GrpcTls } from "../../../gateways/grpc/listener.ts"
import type { Certificate } from "../../../gateways/http/tls.ts"

/** Makes a client of one service of a proto file; its shape is what the caller says. */
const connect = <Client extends grpc.Client>(file: string, name: string, port: number): Client => {
  let found: unknown = grpc.loadPackageDefinition(protoLoader.loadSync(file, { enums: String, defaults: true }))
  for (const part of name.split(".")) found = (found as Record<string, unknown>)[part]
  const Constructor = found as new (address: string, credentials: grpc.ChannelCredentials) => Client
  return new Constructor(`127.0.0.1:${port}`, grpc.credentials.createInsecure())
}

interface HealthStub extends grpc.Client {
  check(
    request: { readonly service: string },
    answer: (error: Error | null, answer: { readonly status: string }) => void,
  ): unknown
  watch(request: { readonly service: string }): grpc.ClientReadableStream<{ readonly status: string }>
}

export class HealthClient {
  readonly #client: HealthStub

  constructor(port: number) {
    this.#client = connect(protoPath, "grpc.health.v1.Health", port)
  }

  check(service: string): Promise<string> {
    return new Promise((resolve, reject) =>
      this.#client.check({ service }, (error, answer) => error ? reject(error) : resolve(answer.status))
    )
  }

  /** The statuses of a service from now on; the list grows. */
  watch(service: string): ReadonlyArray<string> {
    const statuses: Array<string> = []
    this.#client.watch({ service }).on("data", ({ status }) => statuses.push(status)).on("error", () => {})
    return statuses
  }

  close(): void {
    this.#client.close()
  }
}

interface ReflectionRequest {
  readonly listServices?: string
  readonly fileContainingSymbol?: string
}

interface ReflectionAnswer {
  readonly listServicesResponse: { readonly service: ReadonlyArray<{ readonly name: string }> }
  readonly fileDescriptorResponse: { readonly fileDescriptorProto: ReadonlyArray<Uint8Array> }
}

interface ReflectionStub extends grpc.Client {
  serverReflectionInfo(): grpc.ClientDuplexStream<ReflectionRequest, ReflectionAnswer>
}

export class ReflectionClient {
  readonly #client: ReflectionStub

  constructor(port: number) {
    const main = createRequire(import.meta.url).resolve("@grpc/reflection")
    this.#client = connect(
      join(dirname(main), "../proto/grpc/reflection/v1/reflection.proto"),
      "grpc.reflection.v1.ServerReflection",
      port,
    )
  }

  async services(): Promise<Array<string>> {
    const { listServicesResponse } = await this.#ask({ listServices: "*" })
    return listServicesResponse.service.map(({ name }) => name)
  }

  /** The encoded descriptors of the files that describe this symbol. */
  async filesOf(symbol: string): Promise<ReadonlyArray<Uint8Array>> {
    const { fileDescriptorResponse } = await this.#ask({ fileContainingSymbol: symbol })
    return fileDescriptorResponse.fileDescriptorProto
  }

  close(): void {
    this.#client.close()
  }

  #ask(request: ReflectionRequest): Promise<ReflectionAnswer> {
    return new Promise((resolve, reject) => {
      const call = this.#client.serverReflectionInfo()
      call.on("data", (answer: ReflectionAnswer) => {
        call.end()
        resolve(answer)
      })
      call.on("error", reject)
      call.write(request)
    })
  }
}

/** TLS with this certificate, which does not change. */
export const fixedTls = (current: Certificate, clients: ClientCertificates = "none"): GrpcTls => ({
  certificates: { current, changes: Stream.never },
  clients,
})

/** A certificate that signs itself. */
export const selfSigned = async (
  dnsName = "localhost",
): Promise<{ readonly certPem: string; readonly keyPem: string }> => {
  const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${dnsName}`,
    keys,
    notBefore: new Date("2020-01-01"),
    notAfter: new Date("2100-01-01"),
    signingAlgorithm: { name: "ECDSA", hash: "SHA-256" },
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: "dns", value: dnsName }])],
  })
  const key = await crypto.subtle.exportKey("pkcs8", keys.privateKey)
  return { certPem: certificate.toString("pem"), keyPem: x509.PemConverter.encode(key, "PRIVATE KEY") }
}
