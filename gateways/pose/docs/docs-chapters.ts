/**
 * The chapters of the documentation page on the WebSocket and on gRPC. Pure.
 */
import { code, escaped, table } from "./docs-html.ts"
import { type Field, fieldsOf, type Json } from "./docs-fields.ts"

interface Message {
  readonly name: string
  readonly summary: string
  readonly payload: Json
}

const fieldRows = (fields: ReadonlyArray<Field>): ReadonlyArray<ReadonlyArray<string>> =>
  fields.map(({ notes, path, required, type }) => [
    code(path),
    `${code(type)}${required ? "" : ' <span class="quiet">optional</span>'}`,
    escaped(notes),
  ])

const messageSection = ({ name, payload, summary }: Message, schemas: Json): string => {
  const [first = payload] = (payload["oneOf"] ?? []) as ReadonlyArray<Json>
  const rows = fieldRows(fieldsOf(first, schemas))
  return `<details id="message-${escaped(name)}"><summary>${code(name)} ${escaped(summary)}</summary>${
    table("Fields", ["Field", "Type", "Meaning"], rows)
  }</details>`
}

/** The chapter on the WebSocket, from its AsyncAPI document. */
export const webSocketChapter = (document: Json): string => {
  const { messages, schemas } = document["components"] as {
    readonly messages: Record<string, Message>
    readonly schemas: Json
  }
  const operations = document["operations"] as Record<"send" | "receive", { readonly messages: ReadonlyArray<Json> }>
  const sections = (names: ReadonlyArray<Json>) =>
    names.map(({ $ref }) => messageSection(messages[String($ref).split("/").at(-1)!]!, schemas)).join("\n")
  const { description } = document["info"] as { readonly description: string }
  const [text = "", closing = ""] = description.split("| Close code | Meaning |\n|---|---|\n")
  const rows = closing.trim().split("\n").map((line) => line.split("|").map((cell) => escaped(cell.trim())).slice(1, 3))
  return `<section id="websocket"><h2>WebSocket</h2>${
    text.trim().split("\n\n").map((paragraph) =>
      `<p>${escaped(paragraph).replace(/`([^`]+)`/g, "<code>$1</code>")}</p>`
    ).join("")
  }<p>The path is <code>/ws/pose</code>. <a href="api/v1/asyncapi.json">asyncapi.json</a> describes all messages for tools.</p>${
    table("Close codes", ["Code", "Meaning"], rows)
  }<h3>Messages of the client</h3>${sections(operations.receive.messages)}<h3>Messages of the service</h3>${
    sections(operations.send.messages)
  }</section>`
}

/** The chapter on gRPC. */
export const grpcChapter = `<section id="grpc"><h2>gRPC</h2>
<p>The gRPC server listens on <code>127.0.0.1:50051</code> (<code>WAVEPOSE_GRPC_PORT</code>). It has reflection and health checks; the
<code>.proto</code> files are in <code>protocols/grpc/wavepose/v1</code>. Authenticate with the metadata <code>authorization: Bearer …</code> or
<code>x-api-key</code>.</p>
<pre><code>grpcurl -plaintext 127.0.0.1:50051 list
grpcurl -plaintext -H "authorization: Bearer $TOKEN" 127.0.0.1:50051 describe</code></pre></section>`
