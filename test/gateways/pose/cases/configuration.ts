/**
 * Settings and webhooks. More of these is in `configuration.test.ts` and `webhooks.test.ts`.
 */
import { expect } from "vitest"
import { makeWebhook, type World } from "../world.ts"
import { data, type Subject } from "./case.ts"

const webhook = {
  method: "GET",
  path: "/webhooks/00000000-0000-7000-8000-00000000000a",
  template: "/webhooks/{webhook_id}",
}
const webhookTest = {
  method: "POST",
  path: "/webhooks/00000000-0000-7000-8000-00000000000a/test",
  template: "/webhooks/{webhook_id}/test",
}
const aWebhook = (world: World) =>
  void world.webhooks.set("00000000-0000-7000-8000-00000000000a", makeWebhook("00000000-0000-7000-8000-00000000000a"))

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
    {
      title: "change a webhook",
      ...webhook,
      method: "PUT",
      as: "operator",
      given: aWebhook,
      body: { url: "https://hooks.example.org/new", event_types: ["intrusion"], description: "ward 4" },
      status: 200,
      check: (answer, form) =>
        expect(data(answer, form)).toMatchObject({
          url: "https://hooks.example.org/new",
          event_types: ["intrusion_detection"],
          description: "ward 4",
          status: "active",
        }),
    },
    {
      title: "disable a webhook",
      ...webhook,
      method: "PUT",
      as: "operator",
      given: aWebhook,
      body: { enabled: false },
      status: 200,
      check: (answer, form) =>
        expect(data(answer, form)).toMatchObject({ status: "disabled", event_types: ["fall_detection"] }),
    },
    {
      title: "test a webhook",
      ...webhookTest,
      as: "operator",
      given: aWebhook,
      status: 200,
      check: (answer, form) =>
        expect(data(answer, form)).toMatchObject({
          webhook_id: "00000000-0000-7000-8000-00000000000a",
          delivered: false,
          latency_ms: 12,
          failure_reason: "The endpoint answered 500.",
        }),
    },
    { title: "delete a webhook", ...webhook, method: "DELETE", as: "operator", given: aWebhook, status: 204 },
  ],
  failures: [
    {
      title: "a change of an unknown webhook",
      ...webhook,
      method: "PUT",
      as: "operator",
      body: { enabled: true },
      status: 404,
      code: "RESOURCE_NOT_FOUND",
    },
    {
      title: "a webhook that is changed to an address within",
      ...webhook,
      method: "PUT",
      as: "operator",
      given: aWebhook,
      body: { url: "https://127.0.0.1/" },
      status: 422,
      code: "VALIDATION_ERROR",
    },
    { title: "a test of an unknown webhook", ...webhookTest, as: "operator", status: 404, code: "RESOURCE_NOT_FOUND" },
    {
      title: "a viewer who tests a webhook",
      ...webhookTest,
      as: "viewer",
      given: aWebhook,
      status: 403,
      code: "AUTHORIZATION_ERROR",
    },
  ],
}
