/** Ranges that the schemas of a scenario share. */
import { Effect, Schema } from "effect"
import { Identifier } from "../../protocols/domain/site.ts"

/** A finite number of a closed range. */
export const between = (minimum: number, maximum: number) => Schema.Number.check(Schema.isBetween({ minimum, maximum }))

/** An integer of a closed range. */
export const countOf = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** An identifier that leaves room for what a replay puts before it. */
export const ShortIdentifier = Identifier.check(Schema.isMaxLength(48))

/** A place on a floor plan, metres. */
export const FloorPoint = Schema.Tuple([between(-1000, 1000), between(-1000, 1000)])

export const Radians = between(-2 * Math.PI, 2 * Math.PI)

/** A field of a scenario file that may be left out. */
export const defaulted = <S extends Schema.Constraint>(schema: S, value: S["Encoded"]) =>
  Schema.withDecodingDefaultKey<S>(Effect.succeed(value))(schema)

/** A list that is empty when it is left out. */
export const listOf = <S extends Schema.Constraint>(schema: S, itemsMax: number) =>
  defaulted(Schema.Array(schema).check(Schema.isMaxLength(itemsMax)), [])
