/** The streams of the Python client end where no attempt can open them: a proxy that does not know them, and a certificate that is not accepted. */
import { createServer, type Server } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { makeCertificates } from "../harness/mosquitto.ts"
import { python, root, runScript } from "./tools.ts"

const installed = await python("client")
const skipped = "reason" in installed ? ` (skipped: ${installed.reason})` : ""

const servers: Array<Server> = []
afterAll(() => servers.forEach((server) => server.close()))

const listening = async (server: Server): Promise<number> => {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return (server.address() as AddressInfo).port
}

/** A proxy that answers each upgrade with 503, to be repeated at once, and then with a status. */
const proxyWith = async (status: number): Promise<string> => {
  let upgrades = 0
  const server = createServer().on("upgrade", (_, socket) => {
    const [answer, header] = upgrades++ % 2 === 0 ? [503, "Retry-After: 0"] : [status, "Location: https://elsewhere"]
    socket.end(`HTTP/1.1 ${answer} Rejected\r\n${header}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
  })
  return `http://127.0.0.1:${await listening(server)}`
}

it.skipIf(skipped !== "")(`end with the reason${skipped}`, { timeout: 120_000 }, async () => {
  if ("reason" in installed) return
  const { certificatePem, keyPem } = await makeCertificates()
  const tls = await listening(createTlsServer({ cert: certificatePem, key: keyPem }))
  const urls = [
    await proxyWith(404),
    await proxyWith(403),
    await proxyWith(200),
    await proxyWith(308),
    `https://localhost:${tls}`,
  ]
  const environment = { PYTHONPATH: join(root, "protocols", "clients", "python") }
  const certificate = [
    0,
    expect.stringMatching(/^The certificate of the service is not accepted: .*certificate verify failed/),
  ]
  for (const credentials of [{ api_key: "wp_any" }, { username: "admin", password: "any" }]) {
    const reached = "api_key" in credentials ? urls : urls.slice(4)
    const ends = await runScript(
      join(installed.bin, "python"),
      "rejected.py",
      { urls: reached, credentials },
      environment,
    )
    const rejected = [
      ...[404, 403, 200].map((status) => [status, `The service answered ${status}.`]),
      [308, expect.stringMatching(/^The address of the stream is redirected: /)],
    ]
    const expected = [...("api_key" in credentials ? rejected : []), certificate]
    expect(ends).toEqual([expected, expected, true])
  }
})
