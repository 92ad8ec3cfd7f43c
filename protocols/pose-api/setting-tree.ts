/**
 * Trees of named settings: the names of settings in a response form as data, and what is derived from them: the schema of the form, its
 * encoding, and the reading of changes.
 *
 * Boundary: the trees of the forms are in `configuration-fields.ts`. Pure.
 */
import { Schema } from "effect"

/** A setting of the configuration under a form's name. */
export interface Setting {
  /** Dotted path in `Configuration`. */
  readonly path: string
  /** Schema of the value in the form. */
  readonly schema: Schema.Constraint
  /** Conversion from the configuration's unit to the form's, and back; absent if they are the same. */
  readonly unit?: { readonly toWire: (value: number) => number; readonly fromWire: (value: number) => number }
}

/** A value that is reported among the settings and cannot be set. */
export interface Report<Reported> {
  readonly read: (reported: Reported) => unknown
  readonly schema: Schema.Constraint
  /** Why it cannot be set, and what to do instead. */
  readonly reason: string
}

export type SettingTree<Reported> = {
  readonly [name: string]: Setting | Report<Reported> | SettingTree<Reported>
}

type SettingLeaf<Reported> = Setting | Report<Reported>

type Node<Reported> = SettingLeaf<Reported> | SettingTree<Reported>

const isLeaf = <R>(node: Node<R>): node is SettingLeaf<R> => Schema.isSchema((node as { schema?: unknown }).schema)

export const isSetting = <R>(leaf: SettingLeaf<R>): leaf is Setting => "path" in leaf

/** Every leaf by its dotted name in the form. */
export const leavesOf = <R>(tree: SettingTree<R>, prefix = ""): ReadonlyArray<readonly [string, SettingLeaf<R>]> =>
  Object.entries(tree).flatMap(([name, node]): ReadonlyArray<readonly [string, SettingLeaf<R>]> =>
    isLeaf(node) ? [[prefix + name, node]] : leavesOf(node, `${prefix}${name}.`)
  )

/** Both trees in one. Fields of both are taken from the first. */
export const mergeTrees = <R>(first: SettingTree<R>, second: SettingTree<R>): SettingTree<R> => {
  const merged: Record<string, Node<R>> = { ...second, ...first }
  for (const [name, node] of Object.entries(first)) {
    const other = second[name]
    if (other !== undefined && !isLeaf(node) && !isLeaf(other)) merged[name] = mergeTrees(node, other)
  }
  return merged
}

const structOf = (fields: Record<string, Schema.Constraint>): Schema.Constraint => Schema.Struct(fields)

const nodeSchema = <R>(node: Node<R>): Schema.Constraint =>
  isLeaf(node) ? node.schema : structOf(mapValues(node, nodeSchema))

const mapValues = <A, B>(record: { readonly [key: string]: A }, make: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, make(value)]))

/** The schema of the form's whole configuration. */
export const formSchema = <R>(tree: SettingTree<R>): Schema.Constraint => nodeSchema(tree)

/** The name of the schema of a changed group, e.g. `AnalyticsAlertThresholdsChange`. */
const changeName = (dotted: string): string =>
  `${dotted.split(/[._]/).map((word) => word[0]!.toUpperCase() + word.slice(1)).join("")}Change`

/** The schema of some fields of a node. */
type PartialSchema<R> = (node: Node<R>, dotted: string) => Schema.Constraint

/** Makes one named schema per group, because a change may have a group nested or by its dotted name. */
const partialSchemas = <R>(): PartialSchema<R> => {
  const groups = new Map<string, Schema.Constraint>()
  const groupOf = (group: SettingTree<R>, dotted: string): Schema.Constraint => {
    const fields = Object.entries(group)
      .map(([key, child]) => [key, Schema.optionalKey(partial(child, `${dotted}.${key}`))] as const)
    return Schema.Struct(Object.fromEntries(fields)).annotate({ identifier: changeName(dotted) })
  }
  const partial: PartialSchema<R> = (node, dotted) => {
    if (isLeaf(node)) return node.schema
    const made = groups.get(dotted) ?? groupOf(node, dotted)
    groups.set(dotted, made)
    return made
  }
  return partial
}

/** Each node below the root by its dotted name. */
const dottedFields = <R>(
  tree: SettingTree<R>,
  partial: PartialSchema<R>,
  prefix = "",
): Record<string, Schema.Constraint> =>
  Object.assign(
    {},
    ...Object.entries(tree).map(([name, node]) => ({
      ...(prefix === "" ? {} : { [prefix + name]: Schema.optionalKey(partial(node, prefix + name)) }),
      ...(isLeaf(node) ? {} : dottedFields(node, partial, `${prefix}${name}.`)),
    })),
  )

/** The schema of a change: some of the fields, nested or by dotted names. */
export const changeSchema = <R>(tree: SettingTree<R>): Schema.Constraint => {
  const partial = partialSchemas<R>()
  const nested = Object.entries(tree).map(([name, node]) => [name, Schema.optionalKey(partial(node, name))] as const)
  return structOf({ ...Object.fromEntries(nested), ...dottedFields(tree, partial) })
}

/** The configuration in a form. `read` returns the value of a setting. */
export const encodeTree = <R>(
  tree: SettingTree<R>,
  read: (path: string) => unknown,
  reported: R,
): Record<string, unknown> =>
  mapValues(tree, (node) => {
    if (!isLeaf(node)) return encodeTree(node, read, reported)
    return isSetting(node) ? toWire(node, read(node.path)) : node.read(reported)
  })

export const toWire = ({ unit }: Setting, value: unknown): unknown =>
  unit === undefined || typeof value !== "number" ? value : unit.toWire(value)

const fromWire = ({ unit }: Setting, value: unknown): unknown =>
  unit === undefined || typeof value !== "number" ? value : unit.fromWire(value)

/** A field of a change. */
export type Given<R> =
  | { readonly name: string; readonly setting: Setting; readonly value: unknown }
  | { readonly name: string; readonly report: Report<R>; readonly value: unknown }

/** The fields of a body that satisfies `changeSchema`. A field that is given twice appears twice. */
export const givenFields = <R>(tree: SettingTree<R>, body: Record<string, unknown>): ReadonlyArray<Given<R>> => {
  const leaves = new Map(leavesOf(tree))
  const walk = (value: unknown, name: string): ReadonlyArray<Given<R>> => {
    const leaf = leaves.get(name)
    if (leaf === undefined) {
      return Object.entries(value as Record<string, unknown>).flatMap(([key, child]) =>
        walk(child, name === "" ? key : `${name}.${key}`)
      )
    }
    return [isSetting(leaf) ? { name, setting: leaf, value: fromWire(leaf, value) } : { name, report: leaf, value }]
  }
  return walk(body, "")
}
