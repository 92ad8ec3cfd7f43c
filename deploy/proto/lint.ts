/** The rules of buf's category STANDARD that a descriptor shows; `npm run proto` runs buf itself, which is too large to be installed. */
import type { EnumType, MessageType, ProtoFile } from "./contract.ts"

const isUpperCamel = (name: string): boolean => /^[A-Z][A-Za-z0-9]*$/.test(name)
const isLowerSnake = (name: string): boolean => /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name)
const isUpperSnake = (name: string): boolean => /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(name)

const upperSnakeOf = (camel: string): string => camel.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toUpperCase()

const enumComplaints = ({ name, value }: EnumType): ReadonlyArray<string> => {
  const prefix = `${upperSnakeOf(name)}_`
  const first = value.find(({ number }) => number === 0)
  return [
    ...isUpperCamel(name) ? [] : [`enum ${name} is not in UpperCamelCase`],
    ...first?.name === `${prefix}UNSPECIFIED` ? [] : [`the zero value of enum ${name} is not ${prefix}UNSPECIFIED`],
    ...value.filter((one) => !one.name.startsWith(prefix) || !isUpperSnake(one.name))
      .map((one) => `enum value ${one.name} is not in UPPER_SNAKE_CASE with the prefix ${prefix}`),
  ]
}

const messageComplaints = (message: MessageType): ReadonlyArray<string> => [
  ...isUpperCamel(message.name) ? [] : [`message ${message.name} is not in UpperCamelCase`],
  ...[...message.field, ...message.oneofDecl.filter(({ name }) => !name.startsWith("_"))]
    .filter(({ name }) => !isLowerSnake(name)).map(({ name }) => `${message.name}.${name} is not in lower_snake_case`),
  ...message.enumType.flatMap(enumComplaints),
  ...message.nestedType.flatMap(messageComplaints),
]

/** Methods with messages of other names, as `buf:lint:ignore` says in their files. */
const ownMessages = new Set(["StreamCsi"])

const serviceComplaints = ({ package: scope, service }: ProtoFile): ReadonlyArray<string> =>
  service.flatMap(({ method, name }) => [
    ...isUpperCamel(name) && name.endsWith("Service") ? [] : [`service ${name} is not in UpperCamelCase with Service`],
    ...method.flatMap((one) => [
      ...isUpperCamel(one.name) ? [] : [`method ${one.name} is not in UpperCamelCase`],
      ...ownMessages.has(one.name) || one.inputType === `.${scope}.${one.name}Request`
        ? []
        : [`the request of ${one.name} is ${one.inputType}`],
      ...ownMessages.has(one.name) || one.outputType === `.${scope}.${one.name}Response`
        ? []
        : [`the response of ${one.name} is ${one.outputType}`],
    ]),
  ])

/** What the files violate, a line each. */
export const lint = (files: ReadonlyArray<ProtoFile>): ReadonlyArray<string> => [
  ...files.flatMap((file) => {
    const folder = file.package.replaceAll(".", "/")
    const isInPlace = file.name.startsWith(`${folder}/`) && isLowerSnake(file.name.slice(folder.length + 1, -6))
    return [
      ...isInPlace ? [] : [`${file.name} is not a lower_snake_case file in ${folder}`],
      ...file.messageType.flatMap(messageComplaints),
      ...file.enumType.flatMap(enumComplaints),
      ...serviceComplaints(file),
    ]
  }),
  ...["goPackage", "javaPackage", "csharpNamespace"]
    .filter((option) => new Set(files.map(({ options }) => options[option])).size > 1)
    .map((option) => `the files of the package have different values of ${option}`),
]
