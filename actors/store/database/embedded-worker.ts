/**
 * The worker thread of the embedded database: PGlite and the protocol's side of its connections, so that a statement never blocks the actors.
 *
 * Invariant: all connections share one session of PGlite, so what one of them sends from a statement to its `Sync`, and from `BEGIN` to
 * `COMMIT`, runs without a message of another one in between.
 */
import { PGlite } from "@electric-sql/pglite"
import { PGLiteSocketHandler, PGLiteSocketServer } from "@electric-sql/pglite-socket"
import type { Socket } from "node:net"
import { type MessagePort, parentPort, workerData } from "node:worker_threads"
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

const connections = new Set<PGLiteSocketHandler>()

type Queue = PGLiteSocketServer["queryQueue"]

/** Serves a connection until one of its sides ends it; one too many is ended at once. */
const serve = (queryQueue: Queue, port: MessagePort): void => {
  const stream = new PortStream(port)
  if (connections.size >= connectionsMax) return void stream.destroy()
  const handler = new PGLiteSocketHandler({ queryQueue, closeOnDetach: true })
  connections.add(handler)
  for (const end of ["close", "error"]) handler.addEventListener(end, () => connections.delete(handler))
  // What the handler asks of a socket, a stream over a port has.
  void handler.attach(stream as unknown as Socket)
}

await newDatabase(dataDirectory)
const database = await PGlite.create({ dataDir: dataDirectory, postgresqlconf: configuration })
// The server is not started: it makes the queue that gives connections their turns.
const queue = new PGLiteSocketServer({ db: inWholeCycles(database) })["queryQueue"]
parentPort!.on("message", (message: "stop" | MessagePort) => message === "stop" ? undefined : serve(queue, message))
if (!stopping) parentPort!.postMessage("ready")
await stopRequested
for (const connection of connections) await connection.detach(true)
await database.close()
process.exit(0)
