/**
 * The worker thread of the embedded database: PGlite and its socket server, so that a statement never blocks the actors.
 */
import { PGlite } from "@electric-sql/pglite"
import { PGLiteSocketServer } from "@electric-sql/pglite-socket"
import { parentPort, workerData } from "node:worker_threads"

const { dataDirectory, socketPath } = workerData as { readonly dataDirectory: string; readonly socketPath: string }
let stopping = false
const stopRequested = new Promise<void>((resolve) =>
  parentPort!.on("message", () => {
    stopping = true
    resolve()
  })
)

/** PGlite's own defaults keep up to 160 MB of pages in memory and 1 GB of log on disk: much for a single home. */
const configuration = ["shared_buffers = 16MB", "max_wal_size = 64MB"]

const database = await PGlite.create({ dataDir: dataDirectory, postgresqlconf: configuration })
const server = new PGLiteSocketServer({ db: database, path: socketPath, maxConnections: 32 })
await server.start()
if (!stopping) parentPort!.postMessage("ready")
await stopRequested
await server.stop()
await database.close()
process.exit(0)
