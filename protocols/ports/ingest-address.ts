/**
 * Where senders of CSI reach the gRPC edge of this node. The edge writes it when it listens; the Site actor tells the nodes that send batches
 * here, which tell their senders (`IngestAck.nodeAddress`).
 */
import { Context } from "effect"

export const IngestAddress = Context.Reference<{
  /** `host:port`; null: the node has no gRPC edge, or states no address. */
  current: string | null
}>("wavepose/protocols/IngestAddress", { defaultValue: () => ({ current: null }) })
