/**
 * The text of a generated `.proto` file.
 *
 * Field numbers never change: those of the previous text are kept, a new field has the next free number, and the number and the name of a
 * removed field are reserved. Pure.
 */
import protobuf from "protobufjs"
import { type EnumShape, enumValueName, type FieldShape, type MessageShape } from "./message-shape.ts"
import type { ProtoFile } from "./proto-files.ts"

const lineCharsMax = 120

/** The numbers of one message or enum. */
interface Numbers {
  readonly byName: ReadonlyMap<string, number>
  readonly reservedNumbers: ReadonlyArray<number>
  readonly reservedNames: ReadonlyArray<string>
}

const nothing: Numbers = { byName: new Map(), reservedNumbers: [], reservedNames: [] }

const reservedOf = (reserved: ReadonlyArray<ReadonlyArray<number> | string> | undefined) => ({
  reservedNumbers: (reserved ?? []).flatMap((entry) =>
    typeof entry === "string" ? [] : Array.from({ length: entry[1]! - entry[0]! + 1 }, (_, i) => entry[0]! + i)
  ),
  reservedNames: (reserved ?? []).filter((entry) => typeof entry === "string"),
})

/** The numbers of all messages and enums of a text, by full name. */
const numbersOf = (text: string | null): ReadonlyMap<string, Numbers> => {
  const known = new Map<string, Numbers>()
  if (text === null) return known
  const visit = (object: protobuf.ReflectionObject, prefix: string): void => {
    const name = `${prefix}${object.name}`
    if (object instanceof protobuf.Type) {
      known.set(name, {
        byName: new Map(object.fieldsArray.map((field) => [field.name, field.id])),
        ...reservedOf(object.reserved as ReadonlyArray<ReadonlyArray<number> | string>),
      })
    }
    if (object instanceof protobuf.Enum) {
      known.set(name, {
        byName: new Map(Object.entries(object.values)),
        ...reservedOf(object.reserved as ReadonlyArray<ReadonlyArray<number> | string>),
      })
    }
    if (object instanceof protobuf.Namespace) {
      for (const nested of object.nestedArray) visit(nested, object instanceof protobuf.Type ? `${name}.` : prefix)
    }
  }
  visit(protobuf.parse(text, { keepCase: true }).root, "")
  return known
}

/** The number of each name, and the lines that reserve those of removed ones. */
const numbered = (names: ReadonlyArray<string>, known: Numbers, first: number) => {
  const removed = [...known.byName].filter(([name]) => !names.includes(name))
  const reservedNumbers = [...known.reservedNumbers, ...removed.map(([, id]) => id)].sort((a, b) => a - b)
  const reservedNames = [...new Set([...known.reservedNames, ...removed.map(([name]) => name)])]
    .filter((name) => !names.includes(name))
  let next = Math.max(first - 1, ...known.byName.values(), ...reservedNumbers) + 1
  const ids = new Map(names.map((name) => [name, known.byName.get(name) ?? next++]))
  const reserved = [
    ...(reservedNumbers.length === 0 ? [] : [`reserved ${reservedNumbers.join(", ")};`]),
    ...(reservedNames.length === 0
      ? []
      : [`reserved ${reservedNames.map((name) => JSON.stringify(name)).join(", ")};`]),
  ]
  return { ids, reserved }
}

const indented = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.map((line) => line === "" ? "" : `  ${line}`)

const comment = (text: string, depth: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.replace(/\s+/g, " ").trim().split(" ")) {
    const line = lines.at(-1)
    if (word === "") continue
    if (line === undefined || line.length + word.length + 1 + 2 * depth > lineCharsMax) lines.push(`// ${word}`)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines
}

const enumLines = (shape: EnumShape, known: ReadonlyMap<string, Numbers>, prefix: string): ReadonlyArray<string> => {
  const zero = enumValueName(shape.name, "unspecified")
  const names = shape.values.map((value) => enumValueName(shape.name, value)).filter((name) => name !== zero)
  const { ids, reserved } = numbered([zero, ...names], known.get(`${prefix}${shape.name}`) ?? nothing, 0)
  const values = [...ids].map(([name, id]) => `${name} = ${id};`)
  return [`enum ${shape.name} {`, ...indented([...reserved, ...values]), "}"]
}

const typeText = ({ label, type }: FieldShape): string => {
  const name = type.kind === "well-known" ? `google.protobuf.${type.name}` : type.name
  if (label === "map") return `map<string, ${name}>`
  return label === "single" ? name : `${label} ${name}`
}

const messageLines = (
  shape: MessageShape,
  known: ReadonlyMap<string, Numbers>,
  prefix: string,
  depth: number,
): ReadonlyArray<string> => {
  const path = `${prefix}${shape.name}`
  const { ids, reserved } = numbered(shape.fields.map(({ name }) => name), known.get(path) ?? nothing, 1)
  const fields = shape.fields.flatMap((field) => [
    ...comment(field.comment, depth + 1),
    `${typeText(field)} ${field.name} = ${ids.get(field.name)};`,
  ])
  const inner = [
    ...shape.enums.map((of) => enumLines(of, known, `${path}.`)),
    ...shape.messages.map((of) => messageLines(of, known, `${path}.`, depth + 1)),
  ].flatMap((lines) => [...lines, ""])
  const body = [...reserved, ...inner, ...fields]
  const head = comment(shape.comment, depth)
  return body.length === 0
    ? [...head, `message ${shape.name} {}`]
    : [...head, `message ${shape.name} {`, ...indented(body), "}"]
}

/** The types of a message's fields, except the messages that are declared inside it. */
const typesIn = ({ fields, messages }: MessageShape): ReadonlyArray<FieldShape["type"]> => {
  const inside = new Set(messages.map(({ name }) => name))
  return [...fields.map(({ type }) => type), ...messages.flatMap(typesIn)]
    .filter((type) => type.kind !== "message" || !inside.has(type.name))
}

/** The files that a file imports. `shared` are the messages of `types.proto`. */
const importsOf = ({ messages, service }: ProtoFile, shared: ReadonlySet<string>): ReadonlyArray<string> => {
  const types = messages.flatMap(typesIn)
  const known = new Set(types.flatMap((type) => type.kind === "well-known" ? [type.name] : []))
  const usesShared = service !== null && types.some((type) => type.kind === "message" && shared.has(type.name))
  return [
    ...(known.has("Struct") || known.has("Value") ? ["google/protobuf/struct.proto"] : []),
    ...(known.has("Timestamp") ? ["google/protobuf/timestamp.proto"] : []),
    ...(usesShared ? ["wavepose/v1/types.proto"] : []),
  ]
}

const options = [
  'option csharp_namespace = "Wavepose.V1";',
  'option go_package = "wavepose/v1;waveposev1";',
  "option java_multiple_files = true;",
  'option java_package = "wavepose.v1";',
]

const serviceLines = ({ methods, name }: NonNullable<ProtoFile["service"]>): ReadonlyArray<string> => {
  const lines = methods.flatMap((method) => [
    ...comment(method.comment, 1),
    `rpc ${method.name}(${method.name}Request) returns (${method.streamed ? "stream " : ""}${method.name}Response);`,
  ])
  return [`service ${name} {`, ...indented(lines), "}"]
}

/** The text of a file. `previous` is its text before, null for a new file. */
export const protoText = (file: ProtoFile, shared: ReadonlySet<string>, previous: string | null): string => {
  const known = numbersOf(previous)
  const imports = importsOf(file, shared)
  return [
    "// Generated from the endpoints in protocols/pose-api by `npm run proto`. Do not edit.",
    ...comment(file.comment, 0),
    'syntax = "proto3";',
    "package wavepose.v1;",
    "",
    ...(imports.length === 0 ? [] : [...imports.map((path) => `import "${path}";`), ""]),
    ...options,
    ...(file.service === null ? [] : ["", ...serviceLines(file.service)]),
    ...file.messages.flatMap((message) => ["", ...messageLines(message, known, "", 0)]),
    "",
  ].join("\n")
}
