/**
 * The location of a database.
 */
import type { Duplex } from "node:stream"

/** The URL of a PostgreSQL, or the function that opens a connection to the embedded database. */
export type DatabaseLocation = { readonly url: string } | { readonly connect: () => Duplex }
