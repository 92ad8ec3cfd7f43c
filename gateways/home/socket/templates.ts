/**
 * The command that renders a template, and again when what it reads changes.
 */
import { Effect, Schema } from "effect"
import type { Listeners } from "../template/home-states.ts"
import { nativeJson } from "../template/native.ts"
import { rendererFor, watchTemplate } from "../template/rendering.ts"
import { done, subscribingCommand } from "./command.ts"
import { eventsOf } from "./shared-messages.ts"
import type { After } from "../server/after.ts"

const listenersJson = ({ all, domains, entities, time }: Listeners): string =>
  JSON.stringify({
    all,
    entities: all ? [] : [...entities].sort(),
    domains: all ? [] : [...domains].sort(),
    time,
  })

export const templateCommands = (after: After) => [
  subscribingCommand(
    "render_template",
    {
      template: Schema.String,
      variables: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
      entity_ids: Schema.optionalKey(Schema.Union([Schema.String, Schema.Array(Schema.String)])),
      timeout: Schema.optionalKey(Schema.Finite),
      strict: Schema.optionalKey(Schema.Boolean),
      report_errors: Schema.optionalKey(Schema.Boolean),
    },
    ({ client, id, message: { report_errors = false, strict = false, template, variables = {} } }) =>
      Effect.map(rendererFor([template]), (renderer) => ({
        ...done,
        then: () => {
          let sent: string | null = null
          const end = watchTemplate(renderer, { source: template, variables, strict }, after, (rendering) => {
            if (rendering._tag === "Failed" && !report_errors) return
            const text = rendering._tag === "Failed"
              ? JSON.stringify({ error: rendering.message, level: "ERROR" })
              : `{"result":${nativeJson(rendering.text)},"listeners":${listenersJson(rendering.listeners)}}`
            if (text === sent) return
            sent = text
            client.event(id, eventsOf([text]))
          })
          client.subscribed(id, end)
        },
      })),
    ["variables"],
  ),
]
