/**
 * Tests of templates: `value is name`.
 */
import type { Test } from "./expressions.ts"
import { compare, contains, itemsOf } from "./operators.ts"
import { DateTime } from "./times.ts"
import {
  isDict,
  isEqual,
  isList,
  isNumber,
  PyFunction,
  PyObject,
  PySet,
  textOf,
  Tuple,
  Undefined,
  type Value,
} from "./values.ts"

const isSequence = (value: Value): boolean =>
  typeof value === "string" || isList(value) || isDict(value) || value instanceof Tuple

const isIterable = (value: Value): boolean => isSequence(value) || (value instanceof PyObject && value.items() !== null)

const remainder = (value: Value, by: bigint): bigint =>
  typeof value === "bigint"
    ? ((value % by) + by) % by
    : typeof value === "number"
    ? BigInt(Math.trunc(value)) % by
    : -1n

const compared = (fits: (order: number) => boolean): Test => (value, [other = null]) => fits(compare(value, other))
const equal: Test = (value, [other = null]) => isEqual(value, other)

export const tests: ReadonlyArray<readonly [name: string, test: Test]> = [
  ["defined", (value) => !(value instanceof Undefined)],
  ["undefined", (value) => value instanceof Undefined],
  ["none", (value) => value === null],
  ["boolean", (value) => typeof value === "boolean"],
  ["true", (value) => value === true],
  ["false", (value) => value === false],
  ["integer", (value) => typeof value === "bigint"],
  ["float", (value) => typeof value === "number"],
  ["number", (value) => isNumber(value) || typeof value === "boolean"],
  ["string", (value) => typeof value === "string"],
  ["mapping", isDict],
  ["list", isList],
  ["tuple", (value) => value instanceof Tuple],
  ["set", (value) => value instanceof PySet],
  ["datetime", (value) => value instanceof DateTime],
  ["string_like", (value) => typeof value === "string"],
  ["sequence", isSequence],
  ["iterable", isIterable],
  ["callable", (value) => value instanceof PyFunction],
  ["odd", (value) => remainder(value, 2n) === 1n],
  ["even", (value) => remainder(value, 2n) === 0n],
  [
    "divisibleby",
    (value, [by = 1n]) => typeof by === "bigint" && by !== 0n && remainder(value, by < 0n ? -by : by) === 0n,
  ],
  ["lower", (value) => textOf(value) === textOf(value).toLowerCase()],
  ["upper", (value) => textOf(value) === textOf(value).toUpperCase()],
  ["sameas", (value, [other = null]) => value === other],
  ["escaped", () => false],
  ["in", (value, [container = null]) => contains(container, value)],
  ["contains", (value, [part = null]) => contains(value, part)],
  ...["eq", "equalto", "=="].map((name) => [name, equal] as const),
  ...["ne", "!="].map((name) => [name, ((value, args, tools) => !equal(value, args, tools)) as Test] as const),
  ...["gt", "greaterthan", ">"].map((name) => [name, compared((order) => order > 0)] as const),
  ...["ge", ">="].map((name) => [name, compared((order) => order >= 0)] as const),
  ...["lt", "lessthan", "<"].map((name) => [name, compared((order) => order < 0)] as const),
  ...["le", "<="].map((name) => [name, compared((order) => order <= 0)] as const),
  ["empty", (value) => itemsOf(value).length === 0],
]
