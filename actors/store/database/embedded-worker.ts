/**
 * The worker thread of the embedded database: PGlite and the server side of its connections, so that statements do not block the actors.
 *
 * Invariant: all connections share one session of PGlite. Messages of different connections do not interleave between a statement
 * and its `Sync`, or between `BEGIN` and `COMMIT`.
 */
import { PGlite } from "@electric-sql/pglite"
import { PGLiteSocketHandler, PGLiteSocketServer } from "@electric-sql/pglite-socket"
import type { Socket } from "node:net"
import { type MessagePort, parentPort, workerData } from "node:worker_threads"
import { freeMemory } from "../../runtime/free-memory.ts"
import { configuration, newDatabase } from "./embedded-template.ts"
import { PortStream } from "./port-stream.ts"

let stopping = false
const stopRequested = new Promise<void>((resolve) =>
  parentPort!.on("message", (message: "stop" | MessagePort) => {
    if (message !== "stop") return
    stopping = true
    resolve()
  })
)
const { dataDirectory } = workerData as { readonly dataDirectory: string }
const connectionsMax = 32

/** Messages of an unfinished protocol cycle, which `Sync` ends: Parse, Bind, Describe, Execute, Close, Flush, and the data of a copy. */
const cycleMessages = new Set([..."PBDECHdcf"].map((type) => type.charCodeAt(0)))

/**
 * The database as the socket server sees it. The server reserves the database for a connection while a transaction is open. Otherwise
 * it alternates after each message, so two connections would mix their unnamed statements. Therefore a cycle counts as a transaction.
 */
const inWholeCycles = (database: PGlite): PGlite => {
  let open = false
  const over: Partial<PGlite> = {
    isInTransaction: () => open || database.isInTransaction(),
    execProtocolRawStream: (message, options) => {
      open = cycleMessages.has(message[0]!)
      return database.execProtocolRawStream(message, options)
    },
    // A message of the server itself, for a connection that ended within a transaction.
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

const connections = new Set<PGLiteSocketHandler>()

type Queue = PGLiteSocketServer["queryQueue"]

/** Serves a connection until either side ends it. A connection above the limit is closed at once. */
const serve = (queryQueue: Queue, port: MessagePort): void => {
  const stream = new PortStream(port)
  if (connections.size >= connectionsMax) return void stream.destroy()
  const handler = new PGLiteSocketHandler({ queryQueue, closeOnDetach: true })
  connections.add(handler)
  for (const end of ["close", "error"]) handler.addEventListener(end, () => connections.delete(handler))
  // A stream over a port has everything that the handler needs of a socket.
  void handler.attach(stream as unknown as Socket)
}

await newDatabase(dataDirectory)
const database = await PGlite.create({ dataDir: dataDirectory, postgresqlconf: configuration })
// The server does not listen. It only provides the queue that alternates the connections.
const queue = new PGLiteSocketServer({ db: inWholeCycles(database) })["queryQueue"]
parentPort!.on("message", (message: "stop" | MessagePort) => message === "stop" ? undefined : serve(queue, message))
if (!stopping) parentPort!.postMessage("ready")
// PGlite has read its 9 MB of WebAssembly into a buffer that it no longer uses.
freeMemory()
await stopRequested
for (const connection of connections) await connection.detach(true)
await database.close()
process.exit(0)
