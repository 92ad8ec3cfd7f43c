/** Handler of the inventory, which asks the cluster, the home and the environments. A home that does not answer is reported as such. */
import { Effect } from "effect"
import { type Inventory, systemInventory } from "../../../protocols/pose-api/inventory.ts"
import { ClusterReports } from "../../../protocols/ports/cluster-report.ts"
import { Directory } from "../../../protocols/ports/directory.ts"
import { HomePlugins } from "../../../protocols/ports/home-plugins.ts"
import { ModelCards } from "../../../protocols/ports/model-cards.ts"
import { route } from "../server/route.ts"
import { SystemReporter } from "../telemetry/system-report.ts"

const answerMsMax = 2_000

const nodes = Effect.gen(function* () {
  const cluster = yield* ClusterReports
  const report = yield* cluster.current
  if (report === null) return []
  const nodeOf = yield* cluster.nodeOf
  const environments = yield* (yield* Directory).environments
  const ofNode = Map.groupBy(environments, ({ environmentId }) => nodeOf(environmentId))
  return report.members.map(({ address, groups, healthy, self }) => ({
    address,
    healthy,
    actors: groups,
    environments: (ofNode.get(address) ?? []).map(({ environmentId }) => environmentId),
    answering: self,
  }))
})

const plugins = Effect.gen(function* () {
  const states = yield* (yield* HomePlugins).states
  return { plugins: states, plugins_reason: null }
}).pipe(
  Effect.timeoutOrElse({
    duration: answerMsMax,
    orElse: () => Effect.succeed({ plugins: [], plugins_reason: `The home did not answer within ${answerMsMax} ms.` }),
  }),
  Effect.catch(({ message }) => Effect.succeed({ plugins: [], plugins_reason: message })),
)

const models = Effect.gen(function* () {
  const { environments } = yield* (yield* SystemReporter).report
  const { find } = yield* ModelCards
  const users = new Map<string, Array<string>>()
  for (const { environmentId, status } of environments) {
    const version = status?.modelVersion ?? null
    if (version !== null) users.set(version, [...users.get(version) ?? [], environmentId])
  }
  return yield* Effect.forEach(
    [...users],
    ([model_version, environments]) =>
      Effect.map(find(model_version), (card) => ({ model_version, environments, card })),
  )
})

export const inventoryRoutes = [
  route(systemInventory, () =>
    Effect.map(
      Effect.all({ nodes, plugins, models }, { concurrency: "unbounded" }),
      ({ models, nodes, plugins }): Inventory => ({ nodes, ...plugins, models }),
    )),
]
