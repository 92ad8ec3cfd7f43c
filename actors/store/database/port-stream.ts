/**
 * A byte stream over a `MessagePort`: carries PostgreSQL's protocol between this process and the thread of its embedded database.
 *
 * It replaces a Unix socket. Deno 2.9 closes the descriptor of each Unix socket of `node:net` twice. The second close can hit
 * a descriptor that another thread has just opened, such as a new connection (`read ECONNRESET`) or a file of the database.
 *
 * A port has no back-pressure. The protocol bounds the queue: a client waits for the answers to its statements.
 */
import { Duplex } from "node:stream"
import type { MessagePort } from "node:worker_threads"

/** The messages of a port: bytes, or null for the end of the stream. Deno copies a view of 64 kB in 20 ms but moves its buffer in 0.1 ms. */
type Message = ArrayBuffer | null

/** One end of a connection. If one side ends, the other ends too. */
export class PortStream extends Duplex {
  readonly #port: MessagePort
  #ended = false
  #peerEnded = false

  constructor(port: MessagePort) {
    super({ allowHalfOpen: false })
    this.#port = port
    port.on("message", (message: Message) => {
      if (this.destroyed || this.#peerEnded) return
      this.#peerEnded = message === null
      this.push(message === null ? null : Buffer.from(message))
    })
  }

  /** The protocol handler calls this on sockets. A port has no delay to turn off. */
  setNoDelay(): this {
    return this
  }

  override _read(): void {}

  override _write(chunk: Uint8Array, _encoding: string, done: (error?: Error | null) => void): void {
    // A copy, because a chunk may be a part of a larger buffer that stays in use.
    const { buffer } = new Uint8Array(chunk)
    this.#port.postMessage(buffer satisfies Message, [buffer])
    done()
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#sendEnd()
    done()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#sendEnd()
    this.#port.close()
    done(error)
  }

  #sendEnd(): void {
    if (this.#ended) return
    this.#ended = true
    this.#port.postMessage(null satisfies Message)
  }
}
