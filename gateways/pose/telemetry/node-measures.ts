/** What this node measures of itself, its environments and the cluster, read at once, for each form in which metrics leave it. */
import { Context, Effect, Layer } from "effect"
import { ClusterReports } from "../../../protocols/ports/cluster-report.ts"
import { DatabaseHealth } from "../../../protocols/ports/database-health.ts"
import { KernelReports } from "../../../protocols/ports/kernel-report.ts"
import { DatagramListener, type Listening } from "../../datagrams/listener.ts"
import { LoadSampler } from "./load-sampler.ts"
import type { Measures } from "./metric-registries.ts"

const databaseLimit = "2 seconds"

type DatabaseAnswer = Effect.Success<DatabaseHealth["Service"]["check"]>

export class NodeMeasures extends Context.Service<NodeMeasures, {
  readonly read: Effect.Effect<Measures>
  /** How the database answers; null: it does not. */
  readonly database: Effect.Effect<DatabaseAnswer | null>
}>()("wavepose/gateways/NodeMeasures") {
  /** @param version the version of the service */
  static readonly layer = (version: string) => Layer.effect(NodeMeasures, makeMeasures(version))
}

/** What the node counts of its datagram ports, its kernels and the cluster. */
const makeNodeCounts = Effect.gen(function* () {
  const cluster = yield* ClusterReports
  const kernels = yield* KernelReports
  const { nexmon, ruview } = yield* DatagramListener
  const portCounts = (kind: string, { counts }: Listening) => Effect.map(counts, (counts) => ({ kind, counts }))
  return Effect.all({
    cluster: cluster.current,
    kernels: kernels.current,
    datagrams: Effect.all([portCounts("ruview", ruview), portCounts("nexmon", nexmon)]),
  })
})

const makeMeasures = Effect.fnUntraced(function* (version: string) {
  const { httpCounters, read, startedMs } = yield* LoadSampler
  const { check } = yield* DatabaseHealth
  const process = yield* Effect.context<never>()
  const node = yield* makeNodeCounts
  const database = check.pipe(
    Effect.timeout(databaseLimit),
    Effect.catchCause((cause) => Effect.as(Effect.logDebug("the store did not answer a health check", cause), null)),
  )
  return {
    database,
    read: Effect.gen(function* () {
      const [reading, answered] = yield* Effect.all([read, database], { concurrency: 2 })
      return { ...reading, ...(yield* node), version, startedMs, database: answered, httpCounters, process }
    }),
  }
})
