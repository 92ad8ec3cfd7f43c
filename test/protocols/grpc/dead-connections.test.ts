import * as grpc from "@grpc/grpc-js"
import http2, { type ClientHttp2Session } from "node:http2"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { clientOptions } from "../../../protocols/grpc/client-options.ts"

const asIs = (bytes: Buffer) => bytes
const method = {
  path: "/test.Test/Echo",
  requestStream: false,
  responseStream: false,
  requestSerialize: asIs,
  requestDeserialize: asIs,
  responseSerialize: asIs,
  responseDeserialize: asIs,
} as const

const { connect } = http2
let server: grpc.Server
let client: grpc.Client
/** Connections so far. */
let connections = 0
/** Calls that grpc-js has tried on them. */
let tries = 0

/** Starts an echo, and a client whose connections are given to `change`. */
const start = async (change: (session: ClientHttp2Session, index: number) => void) => {
  connections = tries = 0
  http2.connect = ((...parameters: Parameters<typeof connect>) => {
    const session = connect(...parameters)
    const request = session.request.bind(session)
    session.request = (...given) => {
      tries++
      return request(...given)
    }
    change(session, connections++)
    return session
  }) as typeof connect
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync(
      "127.0.0.1:0",
      grpc.ServerCredentials.createInsecure(),
      (error, bound) => error ? reject(error) : resolve(bound),
    )
  )
  client = new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure(), clientOptions)
}

const echo = () =>
  new Promise<string>((resolve) =>
    client.makeUnaryRequest(
      method.path,
      asIs,
      asIs,
      Buffer.from("echo"),
      (error, answer) => resolve(error ? grpc.status[error.code]! : String(answer)),
    )
  )

describe("a client whose connection dies", () => {
  beforeEach(() => {
    server = new grpc.Server()
    server.addService({ Echo: method }, {
      Echo: (call: { readonly request: Buffer }, answer: grpc.sendUnaryData<Buffer>) => answer(null, call.request),
    })
  })

  afterEach(() => {
    http2.connect = connect
    client.close()
    server.forceShutdown()
  })

  it("fails the call, and does not try it again without end", async () => {
    await start((session, index) => {
      if (index > 0) return
      const request = session.request
      session.request = (...given) => {
        request(...given).on("error", () => {}).close()
        throw new Error("The session has been destroyed")
      }
    })
    expect(await echo()).toBe("INTERNAL")
    expect(tries).toBe(1)
    expect(await echo()).toBe("echo")
    expect(connections).toBe(2)
  })

  it.runIf("Deno" in globalThis)("connects again when it ended in the turn in which it began", async () => {
    await start((session, index) => {
      if (index > 0) return
      session.once("remoteSettings", () => {
        queueMicrotask(() => {
          session.destroy()
          session.emit("close")
        })
      })
    })
    await echo()
    expect(await echo()).toBe("echo")
    expect(connections).toBe(2)
  })
})
