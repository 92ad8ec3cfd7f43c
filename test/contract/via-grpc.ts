/** The calls of the specification's Part A over gRPC, and what their answers differ in from its fields. */
import * as grpc from "@grpc/grpc-js"
import protobuf from "protobufjs"
import "protobufjs/ext/descriptor.js"
import { fileDescriptorSet } from "../../protocols/grpc/contract/file-descriptors.ts"
import { fieldName } from "../../protocols/grpc/contract/message-shape.ts"
import { responseDocument, wrappedIn } from "../../protocols/grpc/contract/operation-messages.ts"
import { operationList } from "../../protocols/grpc/contract/operations.ts"
import { codecOf, type Json } from "../../protocols/grpc/contract/transcode.ts"
import { servedPath } from "../../protocols/pose-api/openapi.ts"
import { complaintsOf } from "../e2e/specification/complaints.ts"
import type { Fields } from "../e2e/specification/fields.ts"
import { metadata } from "../gateways/grpc/clients.ts"
import type { Call } from "./calls.ts"

type Operation = typeof operationList[number]

/** The method of a call; undefined for what gRPC has in another way: `/health`, `/pose/process`. */
export const methodOf = ({ specified, template }: Call): Operation | undefined =>
  operationList.find(({ endpoint }) => endpoint.method === specified.method && servedPath(endpoint) === template)

/** Query parameters as a message has them. */
const typed = (query: Call["query"]): Json =>
  Object.fromEntries(Object.entries(query).map(([name, text]) => [name, text === "true" ? true : text]))

/** Calls the method; resolves to the status code of gRPC and the answer. */
export const viaGrpc = (client: grpc.Client, token: string, { method, service }: Operation, call: Call) =>
  new Promise<{ readonly code: number; readonly answer: Json }>((resolve) => {
    const request = { ...call.pathValues, ...typed(call.query), ...call.body as Json }
    client.makeUnaryRequest(
      `/wavepose.v1.${service}/${method}`,
      (bytes: Uint8Array) => Buffer.from(bytes),
      codecOf(`${method}Response`).decode,
      codecOf(`${method}Request`).encode(request),
      metadata({ authorization: `Bearer ${token}` }),
      (error, answer) =>
        resolve({ code: error?.code ?? grpc.status.OK, answer: answer ?? { message: error?.message } }),
    )
  })

const descriptors = protobuf.Root.fromDescriptor(fileDescriptorSet(), { keepCase: true }).resolveAll()

/** Whether a message has a field at a path. What is below a value without a schema is not known. */
const declares = (message: protobuf.Type, [step, ...rest]: ReadonlyArray<string>): boolean => {
  if (step === undefined) return true
  const field = message.fields[step.replace(/[[\]{}*]/g, "")]
  const type = field?.resolvedType
  if (field === undefined || !(type instanceof protobuf.Type)) return field !== undefined && rest.length === 0
  return type.fullName.startsWith(".google.protobuf.") || declares(type, rest)
}

/** The path of a field in the message of a method. */
const pathIn = ({ endpoint }: Operation, path: string): string => {
  const wrapper = wrappedIn(responseDocument(endpoint))
  const inside = wrapper === null ? path : path.startsWith("[") ? wrapper + path : `${wrapper}.${path}`
  return inside.split(".").map(fieldName).join(".")
}

/** Messages omit zero, false, null and empty lists: such a field is missing in an answer, and must be declared. */
const mayBeOmitted = (path: string, type: string): boolean =>
  type !== "string" && type !== "timestamp" || path.includes("*")

/** The differences between an answer and the fields of the specification. */
export const grpcComplaints = (operation: Operation, answer: Json, fields: Fields): ReadonlyArray<string> => {
  const message = descriptors.lookupType(`wavepose.v1.${operation.method}Response`)
  return Object.entries(fields).flatMap(([given, type]) => {
    const path = pathIn(operation, given)
    if (!declares(message, path.split("."))) return [`${path} is not a field of ${message.name}`]
    return complaintsOf(answer, { [path]: type })
      .filter((complaint) => !(complaint.endsWith(" is missing") && mayBeOmitted(path, type)))
  })
}
