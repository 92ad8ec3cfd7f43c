/**
 * The generated `.proto` files as data: one for each service, and `types.proto` for the messages that have names of their own. Pure.
 *
 * Boundary: `proto-text.ts` prints them.
 */
import type { Access } from "../../domain/identity.ts"
import {
  isMap,
  isMessage,
  type JsonSchema,
  messageOfReference,
  type MessageShape,
  messageShape,
  schemaDocument,
} from "./message-shape.ts"
import { type Described, requestMessage, responseMessage } from "./operation-messages.ts"
import { operationList } from "./operations.ts"
import { streams } from "./streams.ts"

interface MethodShape {
  readonly name: string
  readonly comment: string
  readonly streamed: boolean
}

export interface ProtoFile {
  /** Below `protocols/grpc`. */
  readonly path: string
  readonly comment: string
  readonly service: { readonly name: string; readonly methods: ReadonlyArray<MethodShape> } | null
  readonly messages: ReadonlyArray<MessageShape>
}

const access = (declared: Access): string => {
  if (declared === "public") return "Requires no authentication."
  return declared === "any" ? "Requires authentication." : `Requires the scope ${declared}.`
}

interface Method extends MethodShape {
  readonly service: string
  readonly request: Described
  readonly response: Described
}

const unary: ReadonlyArray<Method> = operationList.map(({ endpoint, method, service }) => ({
  service,
  name: method,
  comment: `${endpoint.summary}. ${access(endpoint.access)}`,
  streamed: false,
  request: requestMessage(`${method}Request`, endpoint),
  response: responseMessage(`${method}Response`, endpoint),
}))

const streamed: ReadonlyArray<Method> = Object.values(streams).map((of) => {
  const request = schemaDocument(of.request)
  const response = schemaDocument(of.response)
  return {
    service: of.service,
    name: of.method,
    comment: `${of.comment} ${access(of.access)}`,
    streamed: true,
    request: {
      message: messageShape(`${of.method}Request`, request.schema, {
        explicit: true,
        definitions: request.definitions,
      }),
      definitions: request.definitions,
    },
    response: {
      message: messageShape(`${of.method}Response`, response.schema, {
        explicit: false,
        definitions: response.definitions,
      }),
      definitions: response.definitions,
    },
  }
})

/** The named messages of all methods. Throws if two definitions of one name differ. */
const sharedMessages = (methods: ReadonlyArray<Method>): ReadonlyArray<MessageShape> => {
  const shapes = new Map<string, MessageShape>()
  const add = (definitions: Readonly<Record<string, JsonSchema>>, explicit: boolean): void => {
    for (const [key, schema] of Object.entries(definitions)) {
      if (isMap(schema) || !isMessage(schema)) continue
      const name = messageOfReference(key)
      const shape = messageShape(name, schema, { explicit, definitions })
      const known = shapes.get(name)
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(shape)) {
        throw new Error(`Two schemas are the message ${name}: ${JSON.stringify(known)} and ${JSON.stringify(shape)}.`)
      }
      shapes.set(name, shape)
    }
  }
  for (const { request, response } of methods) {
    add(request.definitions, true)
    add(response.definitions, false)
  }
  return [...shapes.values()].sort((a, b) => a.name < b.name ? -1 : 1)
}

const fileName = (service: string): string =>
  service.replace(/Service$/, "").replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase()

/** All generated files. */
export const protoFiles = (): ReadonlyArray<ProtoFile> => {
  const methods = [...unary, ...streamed]
  const services = [...Map.groupBy(methods, ({ service }) => service)].map(([service, of]): ProtoFile => ({
    path: `wavepose/v1/${fileName(service)}.proto`,
    comment: "",
    service: { name: service, methods: of },
    messages: of.flatMap(({ request, response }) => [request.message, response.message]),
  }))
  const types: ProtoFile = {
    path: "wavepose/v1/types.proto",
    comment: "Messages that several methods share.",
    service: null,
    messages: sharedMessages(methods),
  }
  return [types, ...services]
}
