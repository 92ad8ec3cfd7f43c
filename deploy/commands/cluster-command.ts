/** `wavepose service cluster`: lists the nodes of a running service and the rooms that each has, over REST like any client. */
import { Console, Effect } from "effect"
import { InventoryBody } from "../../protocols/pose-api/inventory.ts"
import { askAsUser } from "./service-client.ts"
import { tableOf } from "./text-table.ts"

export const showCluster = Effect.fnUntraced(function* ({ json, url }: {
  /** E.g. `http://127.0.0.1:8000`. */
  readonly url: string
  readonly json: boolean
}) {
  const why = "listing the nodes needs the role operator."
  const { nodes } = yield* askAsUser(url, why, "/system/inventory", InventoryBody)
  if (json) return yield* Console.log(JSON.stringify({ nodes }))
  if (nodes.length === 0) return yield* Console.log("This node is alone, on the embedded database; it has all rooms.")
  const rows = nodes.map(({ actors, address, answering, environments, healthy }) => [
    address,
    `${healthy ? "healthy" : "not reached"}${answering ? ", answers this" : ""}`,
    actors.join(", ") || "gateways only",
    environments.join(", ") || "none",
  ])
  yield* Console.log(tableOf([["NODE", "STATE", "HOSTS", "ROOMS"], ...rows]))
})
