/**
 * The AsyncAPI 3 document of the pose WebSocket, from the schemas of its messages. Pure.
 */
import { Schema } from "effect"
import { type Form, forms } from "./forms.ts"
import { documentationGroup } from "./docs.ts"
import { endpoint } from "./endpoint.ts"
import type { Json } from "./openapi-schemas.ts"
import { makeSchemaSet } from "./schema-set.ts"
import { documentCodec } from "./openapi.ts"
import { AlertFilters, AlertMessage } from "./socket-alert.ts"
import {
  ClientMessage,
  closeCode,
  closeMeanings,
  PoseFilters,
  PoseUpdate,
  ServerMessage,
  socketPath,
  supportedProtocols,
} from "./socket-messages.ts"

const subscribed = <Filters extends Schema.Constraint>(channel: string, filters: Filters) =>
  Schema.Struct({
    ...ClientMessage.subscribe.fields,
    channel: Schema.Literal(channel),
    filters: Schema.optionalKey(filters),
  })

/** What a client sends. `subscribe` has the filters of its channel. */
const sent: Readonly<Record<string, readonly [summary: string, Schema.Constraint]>> = {
  auth: ["Authenticates the connection, or renews its credentials before they end", ClientMessage.auth],
  subscribePoseUpdates: ["Subscribes to pose frames", subscribed("pose_updates", PoseFilters)],
  subscribeAlerts: ["Subscribes to alerts", subscribed("alerts", AlertFilters)],
  subscribeSystemStatus: ["Subscribes to the status of the system", subscribed("system_status", Schema.Struct({}))],
  unsubscribe: ["Ends a subscription", ClientMessage.unsubscribe],
  acknowledge: ["Acknowledges an alert; needs the scope `write:events`", ClientMessage.acknowledge],
  ping: ["Asks for `pong`", ClientMessage.ping],
}

/** What a client receives. */
const received: Readonly<Record<string, readonly [summary: string, (form: Form) => Schema.Constraint]>> = {
  connectionEstablished: ["The connection is authenticated", () => ServerMessage.connection_established],
  authenticated: ["The credentials were renewed", () => ServerMessage.authenticated],
  subscriptionConfirmed: ["The subscription began", () => ServerMessage.subscription_confirmed],
  unsubscribed: ["The subscription ended", () => ServerMessage.unsubscribed],
  poseUpdate: ["A pose frame", PoseUpdate],
  alert: ["An alert, or a change of one (`alert_update`)", (form) => AlertMessage[form]],
  acknowledged: ["The alert is acknowledged", () => ServerMessage.acknowledged],
  systemStatus: ["The status of the system, every second", () => ServerMessage.system_status],
  pong: ["The answer to `ping`", () => ServerMessage.pong],
  error: [
    "A message was rejected, or a subscription ended with an error; the connection stays, unless the credentials were rejected",
    () => ServerMessage.error,
  ],
}

const nameOf = (text: string): string => text[0]!.toUpperCase() + text.slice(1)

const closeCodes = Object.entries(closeCode)
  .map(([name, code]) => `| ${code} | ${closeMeanings[name as keyof typeof closeCode]} |`).join("\n")

const introduction =
  `The WebSocket of the pose API. A message is one JSON object with a \`type\`. The answer to a message repeats its \`id\`.

Authenticate with the header \`Authorization: Bearer\` or \`X-API-Key\`, with the query parameter \`ticket\` (\`POST /api/v1/auth/ticket\`;
it works once, within 30 s), or with the message \`auth\` within 10 s. The query parameter \`token\` takes an access token, which then may be logged by
proxies: prefer a ticket.

To resume after a lost connection, subscribe with the filters \`environment_id\` and \`after_frame_id\`, the last \`frame_id\` that you have received.
A subscription to all environments resumes with \`after_frame_ids\`, the last \`frame_id\` of each environment.

| Close code | Meaning |
|---|---|
${closeCodes}`

/** The document of the WebSocket. */
export const asyncApiDocument = (version: string): Json => {
  const { add, schemas } = makeSchemaSet((name) => name)
  const messages: Record<string, Json> = {}
  for (const [name, [summary, schema]] of Object.entries(sent)) {
    messages[name] = { name, summary, payload: add(nameOf(name), schema, true) }
  }
  for (const [name, [summary, schemaOf]] of Object.entries(received)) {
    const [bare, envelope] = forms.map(schemaOf) as [Schema.Constraint, Schema.Constraint]
    const payload = bare === envelope
      ? add(nameOf(name), bare, false)
      : { oneOf: forms.map((form) => add(`${nameOf(name)}.${form}`, schemaOf(form), false)) }
    messages[name] = { name, summary, payload }
  }
  const reference = (names: ReadonlyArray<string>) =>
    names.map((name) => ({ $ref: `#/channels/pose/messages/${name}` }))
  return {
    asyncapi: "3.0.0",
    info: {
      title: "wavepose WebSocket",
      version,
      description: introduction,
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    },
    defaultContentType: "application/json",
    servers: {
      service: {
        host: "localhost:8000",
        protocol: "ws",
        description: "The service that serves this document; `wss` behind TLS.",
        security: [{ $ref: "#/components/securitySchemes/bearer" }, { $ref: "#/components/securitySchemes/apiKey" }],
      },
    },
    channels: {
      pose: {
        address: socketPath,
        title: `Protocols ${supportedProtocols.join(", ")}`,
        messages: Object.fromEntries(
          Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
        bindings: {
          ws: {
            method: "GET",
            query: {
              type: "object",
              properties: {
                ticket: { type: "string", description: "A ticket of `POST /api/v1/auth/ticket`." },
                token: { type: "string", description: "An access token. Proxies may log it: prefer a ticket." },
                form: { type: "string", enum: forms, description: "Form of the messages." },
              },
            },
          },
        },
      },
    },
    operations: {
      send: { action: "send", channel: { $ref: "#/channels/pose" }, messages: reference(Object.keys(received)) },
      receive: { action: "receive", channel: { $ref: "#/channels/pose" }, messages: reference(Object.keys(sent)) },
    },
    components: {
      messages,
      schemas,
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
        apiKey: { type: "httpApiKey", name: "X-API-Key", in: "header" },
      },
    },
  }
}

export const asyncApi = endpoint({
  method: "GET",
  path: "/asyncapi.json",
  group: documentationGroup,
  summary: "Get the AsyncAPI document of the WebSocket",
  access: "public",
  category: "health",
  status: 200,
  response: { bare: documentCodec, envelope: documentCodec },
  unwrapped: true,
  failures: [],
})
