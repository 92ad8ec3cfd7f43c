/**
 * Settings and webhooks. More of these is in `configuration.test.ts` and `webhooks.test.ts`.
 */
import { makeWebhook, type World } from "../world.ts"
import type { Subject } from "./case.ts"

const webhook = { method: "GET", path: "/webhooks/a", template: "/webhooks/{webhook_id}" }
const aWebhook = (world: World) => void world.webhooks.set("a", makeWebhook("a"))

export const configuration: Subject = {
  subject: "configuration",
  successes: [
    { title: "the configuration", method: "GET", path: "/config", as: "viewer", status: 200 },
    {
      title: "change the configuration",
      method: "PUT",
      path: "/config",
      as: "operator",
      body: { "detection.max_persons": 5 },
      status: 200,
    },
    { title: "the schema of the configuration", method: "GET", path: "/config/schema", as: "viewer", status: 200 },
    { title: "changes of the configuration", method: "GET", path: "/config/changes", as: "admin", status: 200 },
    {
      title: "create a webhook",
      method: "POST",
      path: "/webhooks",
      as: "operator",
      body: { url: "https://hooks.example.org/" },
      status: 201,
    },
    { title: "webhooks", method: "GET", path: "/webhooks", as: "operator", status: 200 },
    { title: "a webhook", ...webhook, as: "operator", given: aWebhook, status: 200 },
    { title: "delete a webhook", ...webhook, method: "DELETE", as: "operator", given: aWebhook, status: 204 },
  ],
  failures: [],
}
