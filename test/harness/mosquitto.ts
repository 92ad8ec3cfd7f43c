/**
 * A real Mosquitto for tests, where it is installed: on a free port, with a folder of its own, which a test can kill and restart.
 */
import "reflect-metadata"
import * as x509 from "@peculiar/x509"
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import type { webcrypto } from "node:crypto"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

const programs = ["/usr/sbin/mosquitto", "/usr/bin/mosquitto", "/usr/local/sbin/mosquitto"]
const program = programs.find(existsSync)

/** Whether Mosquitto is installed; tests are skipped otherwise. */
export const hasMosquitto = program !== undefined

export interface TestBroker {
  readonly port: number
  /** The authority that signed its certificate; null: it speaks plain text. */
  readonly caPem: string | null
  readonly kill: () => Promise<void>
  /** Restarts it on the same port without its state. */
  readonly start: () => Promise<void>
  readonly stop: () => Promise<void>
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** Whether the port accepts connections. */
const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port })
    const said = (answer: boolean) => () => {
      socket.destroy()
      resolve(answer)
    }
    socket.once("connect", said(true))
    socket.once("error", said(false))
  })

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const

/** An authority, and a certificate for localhost that it has signed. */
export const makeCertificates = async () => {
  const keysOf = () =>
    crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]) as Promise<webcrypto.CryptoKeyPair>
  const [authority, server] = [await keysOf(), await keysOf()]
  const validity = { notBefore: new Date(Date.now() - 86_400_000), notAfter: new Date(Date.now() + 86_400_000) }
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=test authority",
    keys: authority,
    signingAlgorithm: algorithm,
    ...validity,
    extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
  })
  const certificate = await x509.X509CertificateGenerator.create({
    subject: "CN=localhost",
    issuer: root.subject,
    publicKey: server.publicKey,
    signingKey: authority.privateKey,
    signingAlgorithm: algorithm,
    ...validity,
    extensions: [
      new x509.SubjectAlternativeNameExtension([
        { type: "dns", value: "localhost" },
        { type: "ip", value: "127.0.0.1" },
      ]),
    ],
  })
  const key = await crypto.subtle.exportKey("pkcs8", server.privateKey)
  return {
    caPem: root.toString("pem"),
    certificatePem: certificate.toString("pem"),
    keyPem: x509.PemConverter.encode(key, "PRIVATE KEY"),
  }
}

interface BrokerOptions {
  readonly tls?: boolean
  /** The accounts that may connect; without it any client may. */
  readonly user?: { readonly name: string; readonly password: string }
}

/** Starts a broker and waits until it answers. */
export const startMosquitto = async ({ tls = false, user }: BrokerOptions = {}): Promise<TestBroker> => {
  const directory = mkdtempSync(join(tmpdir(), "wavepose-mosquitto-"))
  const port = await freePort()
  const file = (name: string, text: string): string => {
    const path = join(directory, name)
    writeFileSync(path, text)
    return path
  }
  const certificates = tls ? await makeCertificates() : null
  const lines = [`listener ${port} 127.0.0.1`, "persistence false", "log_dest none", "user root"]
  if (certificates !== null) {
    lines.push(
      `cafile ${file("ca.pem", certificates.caPem)}`,
      `certfile ${file("server.pem", certificates.certificatePem)}`,
      `keyfile ${file("server.key", certificates.keyPem)}`,
    )
  }
  if (user === undefined) lines.push("allow_anonymous true")
  else {
    const passwords = join(directory, "passwords")
    execFileSync("mosquitto_passwd", ["-b", "-c", passwords, user.name, user.password], { stdio: "ignore" })
    lines.push("allow_anonymous false", `password_file ${passwords}`)
  }
  const configuration = file("mosquitto.conf", `${lines.join("\n")}\n`)
  let child: ChildProcess | null = null
  const start = async () => {
    const started = spawn(program!, ["-c", configuration], { stdio: "ignore" })
    child = started
    while (!await answers(port)) {
      if (started.exitCode !== null) throw new Error(`mosquitto ended with status ${started.exitCode}`)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const kill = async () => {
    const running = child
    child = null
    if (running === null || running.exitCode !== null) return
    const ended = new Promise((resolve) => running.once("exit", resolve))
    running.kill("SIGKILL")
    await ended
  }
  await start()
  return {
    port,
    caPem: certificates?.caPem ?? null,
    start,
    kill,
    stop: async () => {
      await kill()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
