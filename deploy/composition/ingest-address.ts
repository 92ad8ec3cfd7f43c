/** The address of this node's gRPC edge for senders of CSI, which the node states to the others (`protocols/ports/ingest-address.ts`). */
import { isLoopbackHost } from "../../gateways/access/loopback.ts"
import { hostPort } from "../../protocols/domain/host-port.ts"
import type { Settings } from "../settings/settings.ts"

const wildcards = ["0.0.0.0", "::", "[::]"]

/**
 * The setting if it is an address. `auto`: the host that the edge listens on, or that of the runner channel if the edge listens on all addresses.
 * Null if the node states none, or if other machines reach the runner channel but not the edge.
 *
 * @param port that the edge has bound
 */
export const statedIngestAddress = (
  { clusterHost, host, ingestAddress }: Pick<Settings, "clusterHost" | "host" | "ingestAddress">,
  port: number,
): string | null => {
  if (ingestAddress === "off") return null
  if (ingestAddress !== "auto") return ingestAddress
  if (wildcards.includes(host)) return hostPort(clusterHost, port)
  return isLoopbackHost(host) && !isLoopbackHost(clusterHost) ? null : hostPort(host, port)
}
