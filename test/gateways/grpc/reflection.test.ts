/** Reflection of a running server, as a tool reads it: the descriptors are those of the `.proto` files. */
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import protobuf from "protobufjs"
import "protobufjs/ext/descriptor.js"
import { describe, expect, it } from "vitest"
import { ReflectionClient } from "./tools.ts"
import { withServer } from "./moody-routers.ts"

/** What is compared of a field. */
interface Row {
  readonly name: string
  readonly number: number
  readonly repeated: boolean
  readonly optional: boolean
  readonly type: string
}

/** Numbers of google.protobuf.FieldDescriptorProto.Type by their names in a `.proto` file. */
const scalars = new Map([
  [1, "double"],
  [2, "float"],
  [3, "int64"],
  [4, "uint64"],
  [5, "int32"],
  [8, "bool"],
  [9, "string"],
  [12, "bytes"],
  [13, "uint32"],
  [17, "sint32"],
  [18, "sint64"],
])

interface FileDescriptor {
  readonly name: string
  readonly package: string
  readonly options: { readonly goPackage: string; readonly javaPackage: string; readonly csharpNamespace: string }
  readonly messageType: ReadonlyArray<MessageDescriptor>
  readonly enumType: ReadonlyArray<EnumDescriptor>
  readonly service: ReadonlyArray<{
    readonly name: string
    readonly method: ReadonlyArray<{
      readonly name: string
      readonly inputType: string
      readonly outputType: string
      readonly clientStreaming: boolean
      readonly serverStreaming: boolean
    }>
  }>
}

interface EnumDescriptor {
  readonly name: string
  readonly value: ReadonlyArray<{ readonly name: string; readonly number: number }>
}

interface MessageDescriptor {
  readonly name: string
  readonly options: { readonly mapEntry: boolean } | null
  readonly nestedType: ReadonlyArray<MessageDescriptor>
  readonly enumType: ReadonlyArray<EnumDescriptor>
  readonly field: ReadonlyArray<{
    readonly name: string
    readonly number: number
    readonly label: number
    readonly type: number
    readonly typeName: string
    readonly proto3Optional: boolean
  }>
}

const { FileDescriptorProto } = (protobuf as unknown as {
  readonly descriptor: { readonly FileDescriptorProto: protobuf.Type }
}).descriptor

const decode = (bytes: Uint8Array): FileDescriptor => {
  const message = FileDescriptorProto.decode(bytes)
  return FileDescriptorProto.toObject(message, { defaults: true, arrays: true }) as FileDescriptor
}

const labelRepeated = 3

/** What is compared of a type: the fields of a message, or the numbers of an enum. */
type Shape = ReadonlyArray<Row> | Readonly<Record<string, number>>

const servedEnum = (prefix: string) => ({ name, value }: EnumDescriptor): [string, Shape] => [
  `${prefix}.${name}`,
  Object.fromEntries(value.map(({ name, number }) => [name, number])),
]

const typeOf = ({ type, typeName }: MessageDescriptor["field"][number]): string =>
  typeName === "" ? scalars.get(type)! : typeName

/** A served message and the types in it, by full name. Entries of maps are part of their field. */
const servedTypes = (prefix: string, message: MessageDescriptor): Array<[string, Shape]> => {
  const path = `${prefix}.${message.name}`
  const [entries, nested] = [true, false].map((is) =>
    message.nestedType.filter(({ options }) => (options?.mapEntry === true) === is)
  ) as [Array<MessageDescriptor>, Array<MessageDescriptor>]
  const rows = message.field.map((field): Row => {
    const entry = entries.find(({ name }) => field.typeName === `${path}.${name}`)
    return {
      name: field.name,
      number: field.number,
      repeated: field.label === labelRepeated,
      optional: field.proto3Optional,
      type: entry === undefined ? typeOf(field) : `map ${entry.field.map(typeOf).join(" to ")}`,
    }
  })
  return [
    [path, rows],
    ...message.enumType.map(servedEnum(path)),
    ...nested.flatMap((inner) => servedTypes(path, inner)),
  ]
}

const writtenRow = (field: protobuf.Field): Row => {
  const type = field.resolve().resolvedType?.fullName ?? field.type
  return {
    name: field.name,
    number: field.id,
    repeated: field.repeated || field.map,
    optional: field.options?.["proto3_optional"] === true,
    type: field instanceof protobuf.MapField ? `map ${field.keyType} to ${type}` : type,
  }
}

/** The types of a parsed file, by full name. */
const writtenTypes = (namespace: protobuf.NamespaceBase): Array<[string, Shape]> =>
  namespace.nestedArray.flatMap((item): Array<[string, Shape]> => {
    if (item instanceof protobuf.Enum) return [[item.fullName, item.values]]
    return [
      ...(item instanceof protobuf.Type
        ? [[item.fullName, item.fieldsArray.map(writtenRow)] satisfies [string, Shape]]
        : []),
      ...(item instanceof protobuf.Namespace ? writtenTypes(item) : []),
    ]
  })

const folder = new URL("../../../protocols/grpc/", import.meta.url)
const files = readdirSync(new URL("wavepose/v1", folder)).map((name) => `wavepose/v1/${name}`)
const wellKnown = ["google/protobuf/struct.proto", "google/protobuf/timestamp.proto"]

const written = () => {
  const root = new protobuf.Root()
  for (const file of wellKnown) root.addJSON(protobuf.common.get(file)!.nested!)
  for (const file of files) protobuf.parse(readFileSync(new URL(file, folder), "utf8"), root, { keepCase: true })
  return root.resolveAll()
}

/** The descriptors that a tool gets for all public services, by the name of their file. */
const served = async (port: number): Promise<ReadonlyMap<string, FileDescriptor>> => {
  const client = new ReflectionClient(port)
  const found = new Map<string, FileDescriptor>()
  for (const service of await client.services()) {
    for (const bytes of await client.filesOf(service)) found.set(decode(bytes).name, decode(bytes))
  }
  client.close()
  return found
}

describe("gRPC edge: reflection", () => {
  it("serves the types of the .proto files: names, numbers, labels, types and optional", () =>
    withServer(({ port }) =>
      Effect.promise(async () => {
        const found = await served(port)
        expect([...found.keys()].sort()).toEqual([...files, ...wellKnown, "health/v1/health.proto"].sort())
        const actual = new Map(
          files.map((file) => found.get(file)!).flatMap(({ enumType, messageType }) => [
            ...messageType.flatMap((type) => servedTypes(".wavepose.v1", type)),
            ...enumType.map(servedEnum(".wavepose.v1")),
          ]),
        )
        const expected = new Map(writtenTypes(written().lookup("wavepose.v1") as protobuf.Namespace))
        expect(actual).toEqual(expected)
        expect(expected.get(".wavepose.v1.GetLatestPoseRequest")).toMatchObject([
          { name: "environment_id", optional: true, type: "string" },
          { name: "min_confidence" },
          {},
          {},
          {},
        ])
        expect(expected.size).toBeGreaterThan(200)
      })
    ))

  it("serves the methods of the .proto files, and the packages of generated code", () =>
    withServer(({ port }) =>
      Effect.promise(async () => {
        const found = await served(port)
        const root = written()
        for (const file of files) {
          const { options, service: services } = found.get(file)!
          expect(options).toMatchObject({
            goPackage: "wavepose/v1;waveposev1",
            javaPackage: "wavepose.v1",
            csharpNamespace: "Wavepose.V1",
          })
          for (const service of services) {
            const methods = root.lookupService(`wavepose.v1.${service.name}`).methodsArray
            expect(service.method).toMatchObject(methods.map((method) => ({
              name: method.name,
              inputType: `.wavepose.v1.${method.requestType}`,
              outputType: `.wavepose.v1.${method.responseType}`,
              clientStreaming: method.requestStream === true,
              serverStreaming: method.responseStream === true,
            })))
          }
        }
        const services = files.flatMap((file) => found.get(file)!.service.map(({ name }) => name))
        expect(services.length).toBeGreaterThan(10)
      })
    ))
})
