/** Commands beside a service whose certificate is not accepted: what they say, and that their advice helps. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, expect, it } from "vitest"
import { certificateAdvice } from "../../../deploy/commands/certificate-advice.ts"
import { selfSigned } from "../../gateways/grpc/tools.ts"
import { runCommand } from "../../harness/command.ts"

const folder = mkdtempSync(join(tmpdir(), "wavepose-certificate-"))
const trusted = join(folder, "authority.pem")
let server: Server
let url = ""
beforeAll(async () => {
  const { certPem, keyPem } = await selfSigned()
  writeFileSync(trusted, certPem)
  server = createServer({ cert: certPem, key: keyPem }, (_, response) => response.end(`{"api_keys":[]}`))
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve))
  url = `https://localhost:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

const wavepose = (args: ReadonlyArray<string>, authority: string) =>
  runCommand([...args, "--url", url, "--json"], {
    env: { WAVEPOSE_API_KEY: "wp_any", NODE_EXTRA_CA_CERTS: authority },
  })

it("say that it is not trusted, and how to trust it", async () => {
  const [keys, doctor] = await Promise.all([wavepose(["key", "list"], ""), wavepose(["doctor"], "")])
  expect(keys.code).toBe(1)
  expect(keys.stderr).toMatch(
    /The certificate of https:\S+ is not accepted: .+\. Set NODE_EXTRA_CA_CERTS to a PEM file/,
  )
  expect(doctor.code).toBe(1)
  expect(JSON.parse(doctor.stdout).findings).toMatchObject([{
    check: "service",
    finding: expect.stringContaining("is not accepted"),
    advice: expect.stringContaining("NODE_EXTRA_CA_CERTS"),
  }])
}, 30_000)

it("accept it when its authority is trusted", async () => {
  expect(await wavepose(["key", "list"], trusted)).toMatchObject({ code: 0 })
}, 30_000)

it.each([
  ["invalid peer certificate: NotValidForName", /host name/],
  ["Hostname/IP does not match certificate's altnames: Host: localhost.", /host name/],
  ['invalid peer certificate: certificate not valid for name "other"', /host name/],
  ["invalid peer certificate: Expired", /Renew/],
  ["unable to verify the first certificate", /NODE_EXTRA_CA_CERTS/],
  ["invalid peer certificate: BadSignature", /at the service/],
  ["Connection refused (os error 111)", null],
])("what to do about: %s", (reason, expected) => {
  if (expected === null) expect(certificateAdvice(reason)).toBeNull()
  else expect(certificateAdvice(reason)).toMatch(expected)
})
