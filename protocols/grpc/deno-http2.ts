/**
 * Workarounds for HTTP/2 on Deno 2.9. They are imported for their side effect wherever gRPC is used, and do nothing on Node.
 *
 * 1. When a peer sends GOAWAY, Deno closes the session while nghttp2 is still reading that frame. nghttp2 does not allow this: an assertion
 *    (`find_stream_on_goaway_func`) sometimes fails and aborts the process, so any gRPC client could end a server. Here the session closes one
 *    turn of the event loop later, which has the same effect as on Node.
 * 2. A client's connection may emit its end in the same turn in which it emits `connect`. On Node the end comes at least one turn later, and
 *    grpc-js relies on that: it begins to listen for the end some promises after `connect`. It misses the earlier one, and the client takes the
 *    ended connection for ready until it is closed. Here the end is emitted one turn later.
 *
 * Delete each when its test in `test/protocols/grpc` passes several times without it.
 */
import type { EventEmitter } from "node:events"
import http2, { type Http2Session } from "node:http2"

const closeLater = (session: Http2Session): void => {
  const close = session.close.bind(session)
  session.close = (callback) => void setImmediate(() => session.destroyed ? callback?.() : close(callback))
}

/** The events by which a connection ends. */
const ends: ReadonlySet<string | symbol> = new Set(["close", "error", "goaway"])

const endLater = (emitter: EventEmitter): void => {
  const emit = emitter.emit.bind(emitter)
  emitter.emit = (event, ...parameters) => {
    if (!ends.has(event)) return emit(event, ...parameters)
    setImmediate(() => emit(event, ...parameters))
    return emitter.listenerCount(event) > 0
  }
}

if ("Deno" in globalThis) {
  const { connect, createSecureServer, createServer } = http2
  type CreateServer = (...parameters: ReadonlyArray<never>) => http2.Http2Server | http2.Http2SecureServer
  const patched = (create: CreateServer): CreateServer => (...parameters) => {
    const server = create(...parameters)
    server.on("session", closeLater)
    return server
  }
  http2.createServer = patched(createServer as CreateServer) as typeof createServer
  http2.createSecureServer = patched(createSecureServer as CreateServer) as typeof createSecureServer
  http2.connect = ((authority: string, { createConnection, ...options }: http2.ClientSessionOptions = {}) => {
    const session = connect(
      authority,
      createConnection === undefined ? options : {
        ...options,
        createConnection: (...parameters) => {
          const socket = createConnection(...parameters)
          endLater(socket)
          return socket
        },
      },
    )
    closeLater(session)
    endLater(session)
    return session
  }) as typeof connect
}
