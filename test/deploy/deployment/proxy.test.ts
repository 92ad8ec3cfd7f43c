/** The proxy of the compose file, with its own Caddyfile on other ports: what it serves of two nodes. Skipped without Caddy. */
import * as grpc from "@grpc/grpc-js"
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { request } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../harness/postgres.ts"
import { eventually } from "../../harness/service.ts"
import { has, textOf } from "./files.ts"

const hosts = ["127.0.0.1", "127.0.0.2"] as const
const folder = mkdtempSync(join(tmpdir(), "wavepose-proxy-"))
const certificateFile = join(folder, "pki", "authorities", "local", "root.crt")
const method = "/wavepose.v1.Test/Who"

/** A node: its HTTP port answers probes and says which node it is, and so does its gRPC port. */
class NodeDouble {
  isReady = true
  probes = 0
  readonly #host: string
  readonly #http = createServer((request, response) => {
    if (request.url === "/health/ready") this.probes++
    response.writeHead(request.url !== "/health/ready" || this.isReady ? 200 : 503).end(this.#host)
  })
  readonly #grpc = new grpc.Server()

  constructor(host: string) {
    this.#host = host
  }

  async listen(ports: { readonly http: number; readonly grpc: number }) {
    const bytes = (buffer: Buffer) => buffer
    const unary = { path: method, requestStream: false, responseStream: false } as const
    const codecs = {
      requestSerialize: bytes,
      requestDeserialize: bytes,
      responseSerialize: bytes,
      responseDeserialize: bytes,
    }
    this.#grpc.addService({ who: { ...unary, ...codecs } }, {
      who: (_: unknown, answer: grpc.sendUnaryData<Buffer>) => answer(null, Buffer.from(this.#host)),
    })
    await new Promise<void>((resolve) => this.#http.listen(ports.http, this.#host, resolve))
    await new Promise<void>((resolve, reject) =>
      this.#grpc.bindAsync(
        `${this.#host}:${ports.grpc}`,
        grpc.ServerCredentials.createInsecure(),
        (error) => error === null ? resolve() : reject(error),
      )
    )
  }

  stopGrpc() {
    this.#grpc.forceShutdown()
  }

  stop() {
    this.stopGrpc()
    this.#http.closeAllConnections()
    this.#http.close()
  }
}

/** The file of the compose project with these ports, and with certificates of its own. */
const caddyfile = (nodes: { readonly http: number; readonly grpc: number }, edges: ReadonlyArray<number>) => {
  const sites = ["{$PROXY_DOMAIN:localhost}:50443", "{$PROXY_DOMAIN:localhost}:8443", "{$PROXY_DOMAIN:localhost}"]
  let text = textOf("deploy/container/Caddyfile")
    .replaceAll(/\b8000$/gm, String(nodes.http))
    .replaceAll(/node-(\d):(?:8000|8123)/g, `127.0.0.$1:${nodes.http}`)
    .replaceAll(/node-(\d):50051/g, `127.0.0.$1:${nodes.grpc}`)
  for (const [index, site] of sites.entries()) text = text.replace(site, `localhost:${edges[index]}`)
  const options = ["admin off", "auto_https disable_redirects", "skip_install_trust", "local_certs"]
  return `{\n${options.join("\n")}\nstorage file_system ${folder}\n}\n${text}`
}

describe.skipIf(!has("caddy"))("the proxy of the compose file", () => {
  const nodes = hosts.map((host) => new NodeDouble(host))
  let proxy: ChildProcess
  let edges: ReadonlyArray<number> = []
  let log = ""

  /** Which node answers over HTTPS; a status without a node is an answer of the proxy itself. */
  const overHttps = () =>
    new Promise<string>((resolve, reject) => {
      const options = { host: "localhost", port: edges[2]!, ca: readFileSync(certificateFile), agent: false }
      request(options, (answer) => {
        let text = ""
        answer.on("data", (bytes) => text += String(bytes))
        answer.on("end", () => resolve(text === "" ? String(answer.statusCode) : text))
      }).on("error", reject).end()
    })

  let client: grpc.Client
  /** Which node answers over gRPC; a number is the code of a failure. */
  const overGrpc = () =>
    new Promise<string>((resolve) => {
      const bytes = (buffer: Buffer) => buffer
      client.makeUnaryRequest(
        method,
        bytes,
        bytes,
        Buffer.alloc(0),
        (error, answer) => resolve(error === null ? String(answer) : String(error.code)),
      )
    })

  const answersOf = async (ask: () => Promise<string>) => {
    const answers = new Set<string>()
    for (let n = 0; n < 8; n++) answers.add(await ask())
    return [...answers].sort()
  }

  beforeAll(async () => {
    const ports = { http: await freePort(), grpc: await freePort() }
    for (const node of nodes) await node.listen(ports)
    edges = [await freePort(), await freePort(), await freePort()]
    const file = join(folder, "Caddyfile")
    writeFileSync(file, caddyfile(ports, edges))
    proxy = spawn("caddy", ["run", "--adapter", "caddyfile", "--config", file], {
      env: { ...process.env, HOME: folder },
    })
    proxy.stderr!.on("data", (bytes) => log += String(bytes))
    // The first probes decide which nodes get requests.
    await eventually(
      () => Promise.resolve(existsSync(certificateFile) && nodes.every(({ probes }) => probes > 0)),
      (begun) => begun,
      30_000,
    ).catch((error: Error) => Promise.reject(new Error(`${error.message}\n${log}`)))
    client = new grpc.Client(`localhost:${edges[0]}`, grpc.credentials.createSsl(readFileSync(certificateFile)))
    await eventually(() => overHttps().catch(String), (answer) => answer.startsWith("127."), 30_000)
  })

  afterAll(() => {
    client?.close()
    proxy?.kill()
    for (const node of nodes) node.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it("serves HTTPS and gRPC of both nodes", async () => {
    expect((await answersOf(overHttps)).every((answer) => answer.startsWith("127."))).toBe(true)
    expect(await answersOf(overGrpc)).toEqual([...hosts])
  })

  it("sends HTTPS requests to the node that is ready", async () => {
    nodes[0]!.isReady = false
    await eventually(() => answersOf(overHttps), (answers) => answers.length === 1 && answers[0] === hosts[1], 30_000)
    nodes[0]!.isReady = true
  })

  it("sends gRPC calls to the node that can be reached", async () => {
    nodes[0]!.stopGrpc()
    expect(await answersOf(overGrpc)).toEqual([hosts[1]])
  })
})

it("does not probe over HTTP/2 the port of the pose API, which speaks HTTP/1", () => {
  const blocks = textOf("deploy/container/Caddyfile").split(/^}\n/m)
  const ofGrpc = blocks.filter((block) => block.includes("h2c://"))
  expect(ofGrpc).toHaveLength(1)
  expect(ofGrpc[0]).not.toMatch(/health_|import/)
})
