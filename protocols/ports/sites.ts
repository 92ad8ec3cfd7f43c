/**
 * The sites of actors: a port that placement reads at every call, and the store answers from memory.
 *
 * A site is an environment with its routers and edge nodes.
 */
import { Context } from "effect"

export class Sites extends Context.Service<Sites, {
  /** The environment of a router or edge node; null while it is not enrolled in one, or was enrolled elsewhere a moment ago. */
  readonly siteOf: (actorId: string) => string | null
}>()("wavepose/protocols/Sites") {}

/**
 * The site of a router, if another node has it: what is sent to its routers together costs less. Null: it is here, or not known. A process that is
 * alone has all sites.
 */
export const SiteElsewhere = Context.Reference<(routerId: string) => string | null>(
  "wavepose/protocols/SiteElsewhere",
  { defaultValue: () => () => null },
)
