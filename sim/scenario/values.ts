/** Ranges that the schemas of a scenario share. */
import { Effect, Schema } from "effect"
import { Identifier } from "../../protocols/domain/site.ts"

/** A finite number in a closed range. */
export const between = (minimum: number, maximum: number) => Schema.Number.check(Schema.isBetween({ minimum, maximum }))

/** An integer in a closed range. */
export const countOf = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** An identifier that leaves room for the prefix of a replay. */
export const ShortIdentifier = Identifier.check(Schema.isMaxLength(48))

/** A place on a floor plan, metres. */
export const FloorPoint = Schema.Tuple([between(-1000, 1000), between(-1000, 1000)])

export const Radians = between(-2 * Math.PI, 2 * Math.PI)

/** An optional field of a scenario file, with a default. */
export const defaulted = <S extends Schema.Constraint>(schema: S, value: S["Encoded"]) =>
  Schema.withDecodingDefaultKey<S>(Effect.succeed(value))(schema)

/** An optional list, empty by default. */
export const listOf = <S extends Schema.Constraint>(schema: S, itemsMax: number) =>
  defaulted(Schema.Array(schema).check(Schema.isMaxLength(itemsMax)), [])
