import * as grpc from "@grpc/grpc-js"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const script = fileURLToPath(new URL("./watch-server.ts", import.meta.url))
const runtimeArguments = "Deno" in globalThis ? ["run", "--quiet", "-A", script] : [script]
const asIs = (bytes: Buffer) => bytes

/** Of clients whose two last frames go out in one write, about one in sixty aborts a server without the mend (Deno 2.9.6). */
const clients = 400

describe("a gRPC server", () => {
  it("survives clients that cancel a stream and disconnect at once", async () => {
    const server = spawn(process.execPath, runtimeArguments, { stdio: ["ignore", "pipe", "inherit"] })
    let alive = true
    server.once("exit", () => alive = false)
    const port = await new Promise<string>((resolve) =>
      server.stdout.once("data", (text) => resolve(String(text).trim()))
    )
    let served = 0
    for (let i = 0; i < clients && alive; i++) {
      const client = new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure())
      const stream = client.makeServerStreamRequest("/test.Test/Watch", asIs, asIs, Buffer.alloc(1))
      served += await new Promise<number>((resolve) => {
        stream.once("data", () => resolve(1))
        stream.once("error", () => resolve(0))
      })
      stream.cancel()
      client.close()
    }
    server.kill()
    expect(served).toBe(clients)
  }, 60_000)
})
