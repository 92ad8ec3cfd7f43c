/** Reflection of a running server, as a tool reads it: the descriptors are those of the `.proto` files. */
import { Effect } from "effect"
import { readFileSync } from "node:fs"
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

interface MessageDescriptor {
  readonly name: string
  readonly nestedType: ReadonlyArray<MessageDescriptor>
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

/** The fields of a served message and of those in it, by full name. */
const servedRows = (prefix: string, { field, name, nestedType }: MessageDescriptor): Array<[string, Array<Row>]> => [
  [
    `${prefix}.${name}`,
    field.map(({ label, name, number, proto3Optional, type, typeName }) => ({
      name,
      number,
      repeated: label === labelRepeated,
      optional: proto3Optional,
      type: typeName === "" ? scalars.get(type)! : typeName,
    })),
  ],
  ...nestedType.flatMap((nested) => servedRows(`${prefix}.${name}`, nested)),
]

/** The fields of the messages of a parsed file, by full name. */
const writtenRows = (namespace: protobuf.NamespaceBase): Array<[string, Array<Row>]> =>
  namespace.nestedArray.flatMap((item) => [
    ...(item instanceof protobuf.Type
      ? [
        [
          item.fullName,
          item.fieldsArray.map((field) => ({
            name: field.name,
            number: field.id,
            repeated: field.repeated,
            optional: field.options?.["proto3_optional"] === true,
            type: field.resolve().resolvedType?.fullName ?? field.type,
          })),
        ] satisfies [string, Array<Row>],
      ]
      : []),
    ...(item instanceof protobuf.Namespace ? writtenRows(item) : []),
  ])

const folder = new URL("../../../protocols/grpc/", import.meta.url)
const files = ["wavepose/v1/csi.proto", "wavepose/v1/poses.proto", "wavepose/v1/edge.proto"]

const written = () => {
  const root = new protobuf.Root()
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
  it("serves the fields of the .proto files: names, numbers, labels, types and optional", () =>
    withServer(({ port }) =>
      Effect.promise(async () => {
        const found = await served(port)
        expect([...found.keys()].sort()).toEqual([...files, "health/v1/health.proto"].sort())
        const actual = new Map(
          files.flatMap((file) => found.get(file)!.messageType).flatMap((type) => servedRows(".wavepose.v1", type)),
        )
        const expected = new Map(writtenRows(written()))
        expect(actual).toEqual(expected)
        expect([...expected.values()].flat().filter(({ optional }) => optional).length).toBeGreaterThan(10)
        expect(expected.get(".wavepose.v1.GetLatestRequest")![0]!.name).toBe("environment_id")
      })
    ))

  it("serves the methods of the .proto files, and the packages of generated code", () =>
    withServer(({ port }) =>
      Effect.promise(async () => {
        const found = await served(port)
        const root = written()
        for (const file of files) {
          const { options, service: [service] } = found.get(file)!
          expect(options).toMatchObject({
            goPackage: "wavepose/v1;waveposev1",
            javaPackage: "wavepose.v1",
            csharpNamespace: "Wavepose.V1",
          })
          const methods = root.lookupService(`wavepose.v1.${service!.name}`).methodsArray
          expect(service!.method).toMatchObject(methods.map((method) => ({
            name: method.name,
            inputType: `.wavepose.v1.${method.requestType}`,
            outputType: `.wavepose.v1.${method.responseType}`,
            clientStreaming: method.requestStream === true,
            serverStreaming: method.responseStream === true,
          })))
        }
      })
    ))
})
