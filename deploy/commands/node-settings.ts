/**
 * The settings that the firmware of a node needs, as the service's own report of its datagram ports gives them.
 *
 * Where the service listens on all addresses, the report does not say which of them a board reaches: it is the one that `--url` names, or, for
 * a service of this machine, an address of this machine.
 */
import type { DiagnosticsBody } from "../../protocols/pose-api/diagnostics.ts"
import { isLoopbackAddress, isLoopbackHost } from "../../gateways/access/loopback.ts"
import { tableOf } from "./text-table.ts"

/** The addresses that this machine knows. */
export interface KnownAddresses {
  /** IPv4 addresses of this machine in its networks. */
  readonly own: ReadonlyArray<string>
  /** The IPv4 address of a host; null without one. */
  readonly resolve: (host: string) => Promise<string | null>
}

interface NodeSettings {
  /** An IPv4 address, as the firmware reads it; null with a reason if it is not known. */
  readonly target_host: string | null
  readonly target_host_reason: string | null
  readonly target_port: number | null
  /** Null if the node has no number. */
  readonly node_number: string | null
}

type Target = Pick<NodeSettings, "target_host" | "target_host_reason">

const unknownTarget = (target_host_reason: string): Target => ({ target_host: null, target_host_reason })

const wildcards: ReadonlySet<string> = new Set(["0.0.0.0", "::"])

const targetOf = async (listensOn: string, url: string, { own, resolve }: KnownAddresses): Promise<Target> => {
  if (isLoopbackHost(listensOn)) {
    return unknownTarget("the service listens on loopback; start it with WAVEPOSE_HOST=0.0.0.0")
  }
  if (!wildcards.has(listensOn)) return { target_host: listensOn, target_host_reason: null }
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "")
  const address = isLoopbackHost(host) ? "127.0.0.1" : await resolve(host)
  if (address === null) return unknownTarget(`${host} has no IPv4 address; use one of the service`)
  // The name of this machine is often one of its loopback.
  if (!isLoopbackAddress(address)) return { target_host: address, target_host_reason: null }
  return own.length === 1 ? { target_host: own[0]!, target_host_reason: null } : unknownTarget(
    `use the address of the service that the board reaches${own.length === 0 ? "" : ` (${own.join(", ")})`}`,
  )
}

/**
 * The settings of a node.
 *
 * @param url of the service
 */
export const nodeSettingsOf = async (
  datagrams: DiagnosticsBody["datagrams"],
  nodeId: string,
  url: string,
  known: KnownAddresses,
): Promise<NodeSettings> => {
  const protocol = nodeId.startsWith("nexmon-") ? "nexmon" : "ruview"
  const listener = datagrams.find(({ kind }) => kind === protocol)
  const target = listener === undefined
    ? unknownTarget(`the node of the service that answered has no datagram port of kind ${protocol}`)
    : await targetOf(listener.host, url, known)
  return {
    ...target,
    target_port: listener?.port ?? null,
    node_number: /^node-(\d{1,3})$/.exec(nodeId)?.[1] ?? null,
  }
}

export const nodeSettingsText = (
  { node_number, target_host, target_host_reason, target_port }: NodeSettings,
  key: string | null,
): string =>
  tableOf([
    ["target address", target_host ?? `unknown: ${target_host_reason}`],
    ["target port", target_port === null ? "unknown" : `${target_port} (UDP)`],
    ...(node_number === null ? [] : [["node number", node_number]]),
    ["key", key === null ? "none: unsigned" : `${key} (shown once)`],
  ])
