/**
 * The worker thread of the embedded database: PGlite and its socket server, so that a statement never blocks the actors.
 *
 * Invariant: all connections share one session of PGlite, so what one of them sends from a statement to its `Sync`, and from `BEGIN` to
 * `COMMIT`, runs without a message of another one in between.
 */
import { PGlite } from "@electric-sql/pglite"
import { PGLiteSocketServer } from "@electric-sql/pglite-socket"
import { parentPort, workerData } from "node:worker_threads"
import { configuration, newDatabase } from "./embedded-template.ts"

const { dataDirectory, socketPath } = workerData as { readonly dataDirectory: string; readonly socketPath: string }
let stopping = false
const stopRequested = new Promise<void>((resolve) =>
  parentPort!.on("message", () => {
    stopping = true
    resolve()
  })
)

/** Messages that begin or go on with a cycle, which `Sync` ends: Parse, Bind, Describe, Execute, Close, Flush, and a copy's data. */
const cycleMessages = new Set([..."PBDECHdcf"].map((type) => type.charCodeAt(0)))

/**
 * The database as the socket server asks it. The server keeps others out while a transaction is open, and takes turns message by
 * message otherwise; by that, two connections would take each other's unnamed statements. So a cycle counts as a transaction.
 */
const inWholeCycles = (database: PGlite): PGlite => {
  let open = false
  const over: Partial<PGlite> = {
    isInTransaction: () => open || database.isInTransaction(),
    execProtocolRawStream: (message, options) => {
      open = cycleMessages.has(message[0]!)
      return database.execProtocolRawStream(message, options)
    },
    // The server's own, for a connection that ended within a transaction.
    exec: (query, options) => {
      open = false
      return database.exec(query, options)
    },
  }
  return new Proxy(database, {
    get: (target, name) => {
      const value = Reflect.get(name in over ? over : target, name)
      return typeof value === "function" && !(name in over) ? value.bind(target) : value
    },
  })
}

await newDatabase(dataDirectory)
const database = await PGlite.create({ dataDir: dataDirectory, postgresqlconf: configuration })
const server = new PGLiteSocketServer({ db: inWholeCycles(database), path: socketPath, maxConnections: 32 })
await server.start()
if (!stopping) parentPort!.postMessage("ready")
await stopRequested
await server.stop()
await database.close()
process.exit(0)
