/**
 * JSON values as protobuf messages and back, by the descriptors of the `.proto` files. The rules are those of `message-shape.ts`.
 *
 * Boundary: JSON comes from the codecs of endpoints and goes to their readers, which validate it. Foreign bytes throw.
 */
import protobuf from "protobufjs"
import "protobufjs/ext/descriptor.js"
import { fileDescriptorSet } from "./file-descriptors.ts"
import { enumValueName, fieldName, innerListField } from "./message-shape.ts"

export type Json = Readonly<Record<string, unknown>>

/** A value of protobufjs for a JSON value, and back. */
interface ValueCodec {
  readonly encode: (json: unknown) => unknown
  readonly decode: (value: unknown) => unknown
}

interface MessageCodec {
  /** Members that the message does not have are left out. */
  readonly encode: (json: Json) => Uint8Array
  /** Absent fields and empty lists are missing members. Throws if the bytes are not a message. */
  readonly decode: (bytes: Uint8Array) => Json
}

/** A time without its fraction of a second, and the digits of that. */
const fractionOf = (time: string): readonly [string, string?] => {
  const found = /\.(\d+)/.exec(time)
  return found === null ? [time] : [time.replace(found[0], ""), found[1]!]
}

const timestamp: ValueCodec = {
  encode: (json) => {
    // Times of the home have microseconds, which a Date does not hold.
    const [whole, fraction = ""] = fractionOf(json as string)
    return { seconds: Date.parse(whole) / 1000, nanos: Number(fraction.padEnd(9, "0").slice(0, 9)) }
  },
  decode: (value) => {
    const { nanos = 0, seconds = 0 } = value as { readonly seconds?: unknown; readonly nanos?: number }
    const date = new Date(Number(seconds) * 1000)
    // The reader of the field rejects this text.
    if (Number.isNaN(date.getTime())) return "out of range"
    return date.toISOString().replace(".000Z", `.${String(nanos).padStart(9, "0").replace(/000000$/, "")}Z`)
  },
}

interface WireValue {
  readonly null_value?: number
  readonly number_value?: number
  readonly string_value?: string
  readonly bool_value?: boolean
  readonly struct_value?: WireStruct
  readonly list_value?: { readonly values?: ReadonlyArray<WireValue> }
}

interface WireStruct {
  readonly fields?: Readonly<Record<string, WireValue>>
}

const toWireValue = (json: unknown): WireValue => {
  if (json === null || json === undefined) return { null_value: 0 }
  if (typeof json === "number") return { number_value: json }
  if (typeof json === "string") return { string_value: json }
  if (typeof json === "boolean") return { bool_value: json }
  return Array.isArray(json) ? { list_value: { values: json.map(toWireValue) } } : { struct_value: toWireStruct(json) }
}

const toWireStruct = (json: unknown): WireStruct => ({
  fields: Object.fromEntries(Object.entries(json as Json).map(([key, value]) => [key, toWireValue(value)])),
})

const fromWireValue = (value: WireValue): unknown => {
  if (Object.hasOwn(value, "number_value")) return value.number_value
  if (Object.hasOwn(value, "string_value")) return value.string_value
  if (Object.hasOwn(value, "bool_value")) return value.bool_value
  if (Object.hasOwn(value, "struct_value")) return fromWireStruct(value.struct_value!)
  return Object.hasOwn(value, "list_value") ? (value.list_value!.values ?? []).map(fromWireValue) : null
}

const fromWireStruct = ({ fields = {} }: WireStruct): Json =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, fromWireValue(value)]))

const wellKnown: Readonly<Record<string, ValueCodec>> = {
  ".google.protobuf.Timestamp": timestamp,
  ".google.protobuf.Struct": { encode: toWireStruct, decode: (value) => fromWireStruct(value as WireStruct) },
  ".google.protobuf.Value": { encode: toWireValue, decode: (value) => fromWireValue(value as WireValue) },
}

const same: ValueCodec = { encode: (json) => json, decode: (value) => value }
// protobufjs reads 64-bit numbers as objects.
const integer64: ValueCodec = { encode: (json) => json, decode: Number }
const wide: ReadonlySet<string> = new Set(["int64", "uint64", "sint64", "fixed64", "sfixed64"])

const enumCodec = ({ name, values, valuesById }: protobuf.Enum): ValueCodec => {
  const numbers = new Map<unknown, number>()
  const prefix = enumValueName(name, "")
  return {
    encode: (json) => {
      const number = numbers.get(json) ?? values[enumValueName(name, json as string)]
      if (number === undefined) throw new Error(`${String(json)} is not a value of ${name}.`)
      numbers.set(json, number)
      return number
    },
    // The reader of the field rejects what is not one of its names.
    decode: (value) => (valuesById[value as number] ?? String(value)).replace(prefix, "").toLowerCase(),
  }
}

/** The fields of a message type, each with the codec of one of its values. */
interface Plan {
  readonly type: protobuf.Type
  readonly fields: ReadonlyMap<string, { readonly field: protobuf.Field; readonly codec: ValueCodec }>
  /** The message stands for a list inside a list. */
  readonly isRow: boolean
}

const plans = new Map<protobuf.Type, Plan>()

const planOf = (type: protobuf.Type): Plan => {
  const made = plans.get(type)
  if (made !== undefined) return made
  const fields = new Map<string, { readonly field: protobuf.Field; readonly codec: ValueCodec }>()
  const plan: Plan = { type, fields, isRow: type.name.endsWith("Row") && type.fieldsArray[0]?.name === innerListField }
  // Messages may contain themselves.
  plans.set(type, plan)
  for (const field of type.fieldsArray) fields.set(field.name, { field, codec: valueCodec(field.resolve()) })
  return plan
}

const valueCodec = ({ resolvedType, type }: protobuf.Field): ValueCodec => {
  if (resolvedType === null) return wide.has(type) ? integer64 : same
  if (resolvedType instanceof protobuf.Enum) return enumCodec(resolvedType)
  return wellKnown[resolvedType.fullName] ?? messageCodec(planOf(resolvedType))
}

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null

const mapped = (value: object, change: (value: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(value).map(([key, member]) => [key, change(member)]))

const messageCodec = ({ fields, isRow }: Plan): ValueCodec => ({
  encode: (json) => {
    if (isRow) return { [innerListField]: json }
    const message: Record<string, unknown> = {}
    for (const [member, value] of Object.entries(json as Json)) {
      const known = fields.get(fieldName(member))
      if (known === undefined || value === null || value === undefined) continue
      const { codec, field } = known
      message[field.name] = field.map
        ? mapped(value as object, codec.encode)
        : field.repeated
        ? (value as ReadonlyArray<unknown>).map(codec.encode)
        : codec.encode(value)
    }
    return message
  },
  decode: (message) => {
    if (!isObject(message)) return message
    if (isRow) return message[innerListField] ?? []
    const json: Record<string, unknown> = {}
    for (const { codec, field } of fields.values()) {
      if (!Object.hasOwn(message, field.name)) continue
      const value = message[field.name]
      if (field.map) {
        if (Object.keys(value as object).length > 0) json[field.name] = mapped(value as object, codec.decode)
      } else if (!field.repeated) json[field.name] = codec.decode(value)
      else if ((value as ReadonlyArray<unknown>).length > 0) {
        json[field.name] = (value as ReadonlyArray<unknown>).map(codec.decode)
      }
    }
    return json
  },
})

let root: protobuf.NamespaceBase | undefined

/** The descriptors, read at the first use. */
const descriptors = (): protobuf.NamespaceBase =>
  root ??= protobuf.Root.fromDescriptor(fileDescriptorSet(), { keepCase: true }).resolveAll()

/** The codec of a message of the package `wavepose.v1`. */
export const codecOf = (message: string): MessageCodec => {
  const plan = planOf(descriptors().lookupType(`wavepose.v1.${message}`))
  const { decode, encode } = messageCodec(plan)
  return {
    encode: (json) => plan.type.encode(encode(json) as protobuf.Message).finish(),
    decode: (bytes) => decode(plan.type.decode(bytes)) as Json,
  }
}
