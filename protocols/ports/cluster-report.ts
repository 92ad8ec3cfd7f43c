/**
 * What a node knows of its cluster and did in it, for metrics. A port that gateways read and the actors' runtime answers.
 *
 * Counts are of this process since its start.
 */
import { Context, type Effect } from "effect"

export interface ClusterReport {
  /** The registered nodes, as this one last saw them. */
  readonly members: ReadonlyArray<{
    readonly address: string
    readonly healthy: boolean
    /** The groups of actors that it hosts; none on a node that has gateways only. */
    readonly groups: ReadonlyArray<string>
    /** Whether this is the node that reports. */
    readonly self: boolean
  }>
  /** Shards that this node holds now. */
  readonly shards: number
  readonly acquired: number
  readonly released: number
  /** Shards whose lock was no longer there at a refresh. */
  readonly lost: number
  /** Refreshes of the locks that failed or came too late. */
  readonly refreshFailures: number
  /** Duration of the last refresh, milliseconds; null before the first. */
  readonly refreshMs: number | null
}

export class ClusterReports extends Context.Service<ClusterReports, {
  /** Null on a process that is alone. */
  readonly current: Effect.Effect<ClusterReport | null>
  /**
   * The address of the node that has an environment, as this node last saw the cluster; null while it is not known, and on a process that is
   * alone.
   */
  readonly nodeOf: Effect.Effect<(environmentId: string) => string | null>
}>()("wavepose/protocols/ClusterReports") {}
