/** The parts of the service: nodes of the cluster, plugins of the home, and the pose networks in use with their cards. */
import type { ComponentChildren } from "preact"
import { isAtLeast } from "../service/session.ts"
import type { Inventory } from "../service/types.ts"
import { inventory, inventoryFault, useInventory } from "../state/inventory.ts"
import { blocksOf } from "./markdown.ts"
import { Table } from "./table.tsx"

const Panel = ({ children, id, title }: {
  readonly id: string
  readonly title: string
  readonly children: ComponentChildren
}) => (
  <section class="panel" aria-labelledby={id}>
    <h3 id={id}>{title}</h3>
    {children}
  </section>
)

const Nodes = ({ nodes }: Pick<Inventory, "nodes">) => (
  <Panel id="nodes" title="Nodes">
    {nodes.length === 0
      ? <p>This node is alone, on the embedded database. Several nodes need a PostgreSQL server.</p>
      : (
        <Table
          caption="Nodes of the cluster"
          head={["Address", "State", "Hosts", "Rooms", ""]}
          rows={nodes.map(({ actors, address, answering, environments, healthy }) => [
            address,
            healthy ? "healthy" : "not reached",
            actors.length === 0 ? "gateways only" : actors.join(", "),
            environments.length === 0 ? "none" : environments.join(", "),
            answering ? "this page comes from it" : "",
          ])}
        />
      )}
  </Panel>
)

const statusWords: Readonly<Record<Inventory["plugins"][number]["status"], string>> = {
  not_loaded: "not loaded",
  setup_in_progress: "starting",
  loaded: "runs",
  setup_error: "failed to start",
  setup_retry: "failed to start, is tried again",
  unload_in_progress: "stopping",
  failed_unload: "failed to stop",
}

const Plugins = ({ plugins, plugins_reason: reason }: Pick<Inventory, "plugins" | "plugins_reason">) => (
  <Panel id="plugins" title="Plugins">
    {reason !== null && <p class="fault">{reason}</p>}
    {reason === null && plugins.length === 0 && <p>No plugin is installed.</p>}
    {plugins.length > 0 && (
      <Table
        caption="Plugins of the home"
        head={["Plugin", "State", "Reason"]}
        rows={plugins.map(({ domain, reason, status }) => [domain, statusWords[status], reason ?? "–"])}
      />
    )}
    <p class="reason">
      <code>npx wavepose plugin new NAME</code> makes one. Its manifest states what it may do.
    </p>
  </Panel>
)

const Card = ({ markdown }: { readonly markdown: string }) => (
  <div class="card">
    {blocksOf(markdown).slice(1).map((block, index) =>
      block.kind === "heading"
        ? <h4 key={index}>{block.text}</h4>
        : block.kind === "paragraph"
        ? <p key={index}>{block.text}</p>
        : <Table key={index} caption={block.head[0] || `Table ${index}`} head={block.head} rows={block.rows} />
    )}
  </div>
)

const Models = ({ models }: Pick<Inventory, "models">) => (
  <Panel id="models" title="Pose network">
    {models.length === 0 && (
      <p>No room uses a network: without persons, or without weights, poses are the mean skeleton.</p>
    )}
    {models.map(({ card, environments, model_version: version }) => (
      <article key={version}>
        <p>{`${version}, used by ${environments.join(", ")}`}</p>
        {card === null
          ? <p class="reason">It has no card: README.md beside its weights, with its version as the first heading.</p>
          : (
            <details>
              <summary>{`Card of ${version}`}</summary>
              <Card markdown={card} />
            </details>
          )}
      </article>
    ))}
  </Panel>
)

export const PartsPanel = () => {
  useInventory()
  if (!isAtLeast("operator")) return <p class="notice">Only an operator sees the parts of the service.</p>
  const list = inventory.value
  if (list === null) return <p class="notice" role="status">{inventoryFault.value ?? "Loading…"}</p>
  return (
    <>
      {inventoryFault.value !== null && <p class="fault" role="alert">{inventoryFault.value}</p>}
      <Nodes nodes={list.nodes} />
      <Plugins plugins={list.plugins} plugins_reason={list.plugins_reason} />
      <Models models={list.models} />
    </>
  )
}
