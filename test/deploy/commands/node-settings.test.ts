/** The target of a node's firmware: an address at which the board reaches the service, or why it is not known. */
import { expect, it } from "vitest"
import type { DatagramPortBody } from "../../../protocols/pose-api/datagram-port.ts"
import { nodeSettingsOf, nodeSettingsText } from "../../../deploy/commands/node-settings.ts"

const listener = (host: string): typeof DatagramPortBody.Type => ({
  kind: "ruview",
  host,
  port: 5005,
  received: 0,
  accepted: 0,
  dropped: {},
  routers: [],
  foreign_senders: [],
})

const resolve = (host: string) =>
  Promise.resolve(host === "pi" ? "192.168.1.7" : /^\d+(\.\d+){3}$/.test(host) ? host : null)

const settingsAt = (listensOn: string | null, url: string, own: ReadonlyArray<string> = ["192.168.1.50"]) =>
  nodeSettingsOf(listensOn === null ? [] : [listener(listensOn)], "node-12", url, { own, resolve })

it.each([
  ["192.168.1.9", "http://pi:8000", "192.168.1.9"],
  ["0.0.0.0", "http://pi:8000", "192.168.1.7"],
  ["::", "https://192.168.1.8", "192.168.1.8"],
  ["0.0.0.0", "http://localhost:8000", "192.168.1.50"],
])("of a service that listens on %s at %s is %s", async (listensOn, url, target_host) => {
  expect(await settingsAt(listensOn, url)).toEqual({
    target_host,
    target_host_reason: null,
    target_port: 5005,
    node_number: "12",
  })
})

it.each([
  ["127.0.0.1", "http://pi:8000", [], "the service listens on loopback; start it with WAVEPOSE_HOST=0.0.0.0"],
  [null, "http://pi:8000", [], "the node of the service that answered has no datagram port of kind ruview"],
  ["::", "http://[fd00::1]:8000", [], "fd00::1 has no IPv4 address; use one of the service"],
  ["0.0.0.0", "http://[::1]:8000", [], "use the address of the service that the board reaches"],
  [
    "0.0.0.0",
    "http://127.0.0.1:8000",
    ["192.168.1.50", "172.17.0.1"],
    "use the address of the service that the board reaches (192.168.1.50, 172.17.0.1)",
  ],
])("of a service that listens on %s at %s is unknown with %j", async (listensOn, url, own, reason) => {
  const settings = await settingsAt(listensOn, url, own)
  expect(settings).toMatchObject({ target_host: null, target_host_reason: reason })
  expect(nodeSettingsText(settings, null)).toContain(`target address  unknown: ${reason}\n`)
})
