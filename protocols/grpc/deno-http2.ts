/**
 * A workaround for HTTP/2 on Deno 2.9, without which any gRPC client could abort the process.
 *
 * When a peer sends GOAWAY, Deno closes the session while nghttp2 is still reading that frame. nghttp2 does not allow this: an assertion
 * (`find_stream_on_goaway_func`) sometimes fails and aborts the process. This module closes the session one turn of the event loop later,
 * as Node does in effect. It is imported for its side effect wherever gRPC is used, and does nothing on Node. Delete it when
 * `test/protocols/grpc/deno-http2.test.ts` passes several times without it in its server.
 */
import http2, { type Http2Session } from "node:http2"

const closeLater = (session: Http2Session): void => {
  const close = session.close.bind(session)
  session.close = (callback) => void setImmediate(() => session.destroyed ? callback?.() : close(callback))
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
  http2.connect = ((...parameters: Parameters<typeof connect>) => {
    const session = connect(...parameters)
    closeLater(session)
    return session
  }) as typeof connect
}
