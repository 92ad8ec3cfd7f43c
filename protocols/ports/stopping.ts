/**
 * Whether this node is about to stop. The composition writes it; readiness and gRPC health report it, so that proxies send nothing new while
 * the node still serves.
 */
import { Context } from "effect"

export const Stopping = Context.Reference<{ current: boolean }>("wavepose/protocols/Stopping", {
  defaultValue: () => ({ current: false }),
})
