/**
 * The privacy gate: the only decision whether a record may leave the edge, and with which fields.
 *
 * Owns `Released`, the proof of that decision. Its constructor is not exported and it has a private field, so neither a type
 * nor a running program can construct one elsewhere. Every egress encoder takes a `Released` of its own destination, so
 * an unreleased record cannot be written.
 *
 * Invariants:
 * 1. A record of class Raw or Derived is rejected for every destination.
 * 2. A record of class Restricted loses each field of `removedByRestricted`, at any depth, and lists the removed fields.
 * 3. No record has a field of `neverExposed` after the gate.
 * 4. The input is not changed. The same arguments give the same decision. A released record passes again unchanged.
 */
import { neverExposedNames, removedByRestricted } from "./fields.ts"
import { type Destination, mayCross, nameOfClass, type PrivacyClass, privacyClasses } from "./privacy-class.ts"

/** A record that may leave to `D`, and its removed fields. */
class ReleasedRecord<R, D extends Destination> {
  readonly #record: R
  readonly destination: D
  readonly privacyClass: PrivacyClass
  /** Wire names of the removed fields, in the order of the record. */
  readonly redactedFields: ReadonlyArray<string>

  constructor(record: R, destination: D, privacyClass: PrivacyClass, redactedFields: ReadonlyArray<string>) {
    this.#record = record
    this.destination = destination
    this.privacyClass = privacyClass
    this.redactedFields = redactedFields
  }

  /** The content to write. */
  get record(): R {
    return this.#record
  }
}

export type Released<R, D extends Destination> = ReleasedRecord<R, D>

/** Why a record must not leave, for the log, health and callers. */
export interface Refusal {
  readonly privacyClass: PrivacyClass
  readonly destination: Destination
  readonly reason: string
}

export type Verdict<R, D extends Destination> =
  | { readonly decision: "allow"; readonly released: Released<R, D> }
  | { readonly decision: "redact"; readonly released: Released<R, D> }
  | { readonly decision: "refuse"; readonly refusal: Refusal }

const article: Readonly<Record<Destination, string>> = {
  bridge: "the edge bridge",
  mqtt: "MQTT",
  home: "the home runtime",
  webhook: "webhooks",
  grpc: "gRPC",
}

const refusalOf = (privacyClass: PrivacyClass, destination: Destination): Refusal => ({
  privacyClass,
  destination,
  reason: `A record of privacy class ${nameOfClass(privacyClass)} (${privacyClass}) may not leave by ${
    article[destination]
  }: only anonymous (2) and restricted (3) may. Give the node one of these classes.`,
})

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value)

/** A copy of a value without the fields that `restricted` and `neverExposed` exclude; the value itself if it has none. */
const without = (value: unknown, restricted: boolean, lost: Set<string>): unknown => {
  if (Array.isArray(value)) {
    const parts = value.map((part) => without(part, restricted, lost))
    return parts.some((part, i) => part !== value[i]) ? parts : value
  }
  if (!isPlain(value)) return value
  const changed: Record<string, unknown> = {}
  let dropped = false
  for (const [name, held] of Object.entries(value)) {
    if (neverExposedNames.has(name)) dropped = true
    const rule = restricted && Object.hasOwn(removedByRestricted, name) ? removedByRestricted[name]! : null
    if (rule === null) {
      const kept = without(held, restricted, lost)
      if (kept !== held) changed[name] = kept
      continue
    }
    lost.add(rule.wireName)
    changed[name] = null
    for (const [beside, text] of Object.entries(rule.beside)) if (Object.hasOwn(value, beside)) changed[beside] = text
  }
  if (!dropped && Object.keys(changed).length === 0) return value
  const entries = Object.entries({ ...value, ...changed }).filter(([name]) => !neverExposedNames.has(name))
  return Object.fromEntries(entries)
}

/**
 * Decides whether this record of this class may leave to this destination.
 *
 * @param record a plain value: objects, arrays, numbers, texts and bytes
 * @returns `allow` with the record unchanged, `redact` with the remaining record, or `refuse` with the reason
 */
export const gate = <R, D extends Destination>(
  record: R,
  privacyClass: PrivacyClass,
  destination: D,
): Verdict<R, D> => {
  if (!mayCross(privacyClass)) return { decision: "refuse", refusal: refusalOf(privacyClass, destination) }
  const lost = new Set<string>()
  // The removed fields are nullable in every record: see the contracts of `protocols/domain/sensing.ts`.
  const left = without(record, privacyClass === privacyClasses.restricted, lost) as R
  const released = new ReleasedRecord(left, destination, privacyClass, [...lost])
  return { decision: left === record ? "allow" : "redact", released }
}
