/**
 * Workarounds for HTTP/2 on Deno 2.9. They are imported for their side effect wherever gRPC is used, and do nothing on Node.
 *
 * 1. When a peer sends GOAWAY, Deno closes the session while nghttp2 is still reading that frame. nghttp2 does not allow this: an assertion
 *    (`find_stream_on_goaway_func`) sometimes fails and aborts the process, so any gRPC client could. Here the session closes one turn of the
 *    event loop later, as on Node in effect.
 * 2. A client's connection may say that it has ended in the same turn in which it says that it is connected. On Node that takes another turn,
 *    and grpc-js relies on it: it listens for the end of a connection some promises after its beginning, misses it, and takes the dead connection
 *    for ready as long as the client lives. Here the end is said one turn later.
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
  type Any = (...parameters: ReadonlyArray<never>) => http2.Http2Server | http2.Http2SecureServer
  const mended = (create: Any): Any => (...parameters) => {
    const server = create(...parameters)
    server.on("session", closeLater)
    return server
  }
  http2.createServer = mended(createServer as Any) as typeof createServer
  http2.createSecureServer = mended(createSecureServer as Any) as typeof createSecureServer
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
