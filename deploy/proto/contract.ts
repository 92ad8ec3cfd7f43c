/** The descriptors of the public gRPC contract, and the lines that state what its clients rely on. */
import protobuf from "protobufjs"
import descriptor from "protobufjs/ext/descriptor.js"
import { fileDescriptorSet } from "../../protocols/grpc/contract/file-descriptors.ts"

interface Field {
  readonly name: string
  readonly number: number
  readonly label: string
  readonly type: string
  readonly typeName?: string
  readonly proto3Optional?: boolean
  readonly oneofIndex?: number
}

export interface EnumType {
  readonly name: string
  readonly value: ReadonlyArray<{ readonly name: string; readonly number: number }>
}

export interface MessageType {
  readonly name: string
  readonly field: ReadonlyArray<Field>
  readonly nestedType: ReadonlyArray<MessageType>
  readonly enumType: ReadonlyArray<EnumType>
  readonly oneofDecl: ReadonlyArray<{ readonly name: string }>
}

interface Method {
  readonly name: string
  readonly inputType: string
  readonly outputType: string
  readonly clientStreaming?: boolean
  readonly serverStreaming?: boolean
}

export interface ProtoFile {
  readonly name: string
  readonly package: string
  readonly messageType: ReadonlyArray<MessageType>
  readonly enumType: ReadonlyArray<EnumType>
  readonly service: ReadonlyArray<{ readonly name: string; readonly method: ReadonlyArray<Method> }>
  readonly options: Readonly<Record<string, unknown>>
}

/** The files of the package `wavepose.v1`. */
export const contractFiles = (): ReadonlyArray<ProtoFile> => {
  const type = descriptor.FileDescriptorSet as unknown as protobuf.Type
  const set = type.toObject(type.decode(fileDescriptorSet()), { enums: String, arrays: true }) as {
    readonly file: ReadonlyArray<ProtoFile>
  }
  return set.file.filter((file) => file.package === "wavepose.v1")
}

const enumLines = (scope: string, { name, value }: EnumType): ReadonlyArray<string> =>
  value.map((one) => `${scope}.${name}.${one.name} = ${one.number}`)

const messageLines = (scope: string, message: MessageType): ReadonlyArray<string> => {
  const path = `${scope}.${message.name}`
  const fields = message.field.map(({ label, name, number, oneofIndex, proto3Optional, type, typeName }) => {
    const presence = label === "LABEL_REPEATED"
      ? "repeated "
      : proto3Optional === true
      ? "optional "
      : oneofIndex !== undefined
      ? `oneof ${message.oneofDecl[oneofIndex]!.name} `
      : ""
    return `${path}.${name} = ${number} ${presence}${typeName ?? type.replace("TYPE_", "").toLowerCase()}`
  })
  return [
    ...fields,
    ...message.enumType.flatMap((one) => enumLines(path, one)),
    ...message.nestedType.flatMap((one) => messageLines(path, one)),
  ]
}

const methodLine = (service: string, method: Method): string => {
  const stream = (is: boolean | undefined) => is === true ? "stream " : ""
  const { clientStreaming, inputType, name, outputType, serverStreaming } = method
  return `${service}.${name}(${stream(clientStreaming)}${inputType}) ${stream(serverStreaming)}${outputType}`
}

const fileLines = (file: ProtoFile): ReadonlyArray<string> => [
  ...Object.entries(file.options).map(([name, value]) => `${file.name} ${name} = ${value}`),
  ...[...file.messageType, ...file.enumType, ...file.service].map(({ name }) => `${file.name} has ${name}`),
  ...file.messageType.flatMap((one) => messageLines(file.package, one)),
  ...file.enumType.flatMap((one) => enumLines(file.package, one)),
  ...file.service.flatMap(({ method, name }) => method.map((one) => methodLine(`${file.package}.${name}`, one))),
]

/**
 * One line for each package option, message, field, enum value, service and method. A client that was generated from a contract works with a
 * later one that has all its lines.
 */
export const contractLines = (files: ReadonlyArray<ProtoFile>): ReadonlyArray<string> =>
  // All names are of one package.
  files.flatMap(fileLines).map((line) => line.replaceAll(/\.?wavepose\.v1\./g, "")).sort()
