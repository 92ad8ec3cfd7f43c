/**
 * Columns of a batch as parameters of a statement: arrays of one type each, whatever values they hold. Left alone, the driver takes an array's
 * type from its elements, and refuses whole numbers beside others, and nothing but nulls.
 */
import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"

const columnOf = (elementOid: number) => <A>(values: ReadonlyArray<A | null>): PgTypes.Parameter =>
  Result.getOrThrow(PgTypes.array(values, elementOid))

export const texts: (values: ReadonlyArray<string>) => PgTypes.Parameter = columnOf(PgTypes.OID.text)
export const uuids: (values: ReadonlyArray<string>) => PgTypes.Parameter = columnOf(PgTypes.OID.uuid)
export const booleans: (values: ReadonlyArray<boolean>) => PgTypes.Parameter = columnOf(PgTypes.OID.bool)
/** Within 32 bits. */
export const integers: (values: ReadonlyArray<number | null>) => PgTypes.Parameter = columnOf(PgTypes.OID.int4)
export const numbers: (values: ReadonlyArray<number | null>) => PgTypes.Parameter = columnOf(PgTypes.OID.float8)
