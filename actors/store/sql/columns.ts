/**
 * Columns of a batch as statement parameters: arrays of one type each, whatever their values. By default, the driver derives the type of an
 * array from its elements, and rejects integers mixed with fractions and arrays of nulls.
 */
import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"

const columnOf = (elementOid: number) => <A>(values: ReadonlyArray<A | null>): PgTypes.Parameter =>
  Result.getOrThrow(PgTypes.array(values, elementOid))

export const texts: (values: ReadonlyArray<string>) => PgTypes.Parameter = columnOf(PgTypes.OID.text)
export const uuids: (values: ReadonlyArray<string>) => PgTypes.Parameter = columnOf(PgTypes.OID.uuid)
export const booleans: (values: ReadonlyArray<boolean | null>) => PgTypes.Parameter = columnOf(PgTypes.OID.bool)
/** Fits into 32 bits. */
export const integers: (values: ReadonlyArray<number | null>) => PgTypes.Parameter = columnOf(PgTypes.OID.int4)
export const numbers: (values: ReadonlyArray<number | null>) => PgTypes.Parameter = columnOf(PgTypes.OID.float8)
