/** The settings: the configuration from its schema, access, webhooks, and what runs. */
import { page } from "../shell/navigation.ts"
import { AccessPanel } from "./access-panel.tsx"
import { ConfigForm } from "./config-form.tsx"
import { PartsPanel } from "./parts-panel.tsx"
import { ServicePanel } from "./service-panel.tsx"
import { WebhooksPanel } from "./webhooks-panel.tsx"

const parts = [
  { id: "configuration", title: "Configuration", Panel: ConfigForm },
  { id: "access", title: "Users and keys", Panel: AccessPanel },
  { id: "webhooks", title: "Webhooks", Panel: WebhooksPanel },
  { id: "parts", title: "Nodes, plugins, model", Panel: PartsPanel },
  { id: "service", title: "Service", Panel: ServicePanel },
] as const

/** Scrolls the row of tabs, on a narrow page, to one of them. */
const show = (tab: HTMLElement | null): void => tab?.scrollIntoView({ block: "nearest", inline: "center" })

export const SettingsPage = () => {
  const asked = page.value.query.get("part")
  const { Panel, id } = parts.find((part) => part.id === asked) ?? parts[0]
  return (
    <section>
      <h2 class="unseen">Settings</h2>
      <nav class="tabs" aria-label="Settings">
        {parts.map((part) => (
          <a
            key={part.id}
            href={`#/settings?part=${part.id}`}
            {...(part.id === id ? { "aria-current": "page", ref: show } as const : {})}
          >
            {part.title}
          </a>
        ))}
      </nav>
      <Panel />
    </section>
  )
}
