/** What the variables of several settings have in common: defaults, ports and lists. */
import { Effect, Schema } from "effect"

/** A variable that has the value `fallback` while it is not set. */
export const withDefault = <S extends Schema.Codec<unknown, string>>(schema: S, fallback: S["Encoded"]) =>
  schema.pipe(Schema.withDecodingDefaultKey(Effect.succeed(fallback)))

/** The number of a port; 0 selects a free one. */
export const port = (fallback: number) =>
  withDefault(
    Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 65535 })),
    String(fallback),
  )

/** The elements of a list that is separated by commas. */
export const elementsOf = (list: string): ReadonlyArray<string> =>
  list.split(",").map((element) => element.trim()).filter((element) => element !== "")
