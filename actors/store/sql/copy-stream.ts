/**
 * A connection to PostgreSQL over which the driver, which does not support COPY, can run `COPY ... FROM STDIN`.
 *
 * Owns the socket. It forwards all bytes between driver and server except CopyInResponse: instead of passing it to the driver, it
 * sends the prepared rows, then CopyDone and a Sync, because a copying server ignores the Sync that the driver has sent after the
 * statement. All later messages (CommandComplete or an error, ReadyForQuery) go to the
 * driver, so that a COPY behaves like any other statement: its errors, its transaction, its interruption.
 *
 * Invariants:
 * 1. Rows are sent only when the server asks for them, once: a rejected statement leaves nothing in flight.
 * 2. The prepared rows are dropped when the statement ends.
 */
import { connect, type NetConnectOpts, type Socket } from "node:net"
import { Duplex } from "node:stream"

/** CopyDone and Sync, both without content. */
const copyDoneAndSync = Uint8Array.of("c".charCodeAt(0), 0, 0, 0, 4, "S".charCodeAt(0), 0, 0, 0, 4)
const copyInResponse = "G".charCodeAt(0)
const readyForQuery = "Z".charCodeAt(0)

/** A type and a length, which includes itself. */
const headBytes = 5

/** Rows are passed to the socket in pieces, because a runtime that copies them allocates small buffers faster. */
const pieceBytes = 65_536

const none = new Uint8Array(0)

export class CopyStream extends Duplex {
  readonly #socket: Socket
  /** The messages to send on request; null if none are prepared. */
  #rows: Uint8Array | null = null
  /** The received part of a message that is inspected when it is complete. */
  #begun: Uint8Array = none
  /** Remaining bytes of a message that goes to the driver. */
  #rest = 0

  constructor(endpoint: NetConnectOpts) {
    super()
    this.#socket = connect(endpoint)
    this.#socket.on("data", (chunk: Uint8Array) => this.#rows === null ? this.#pass(chunk) : this.#look(chunk))
    this.#socket.on("end", () => this.push(null))
    this.#socket.on("error", (cause) => this.destroy(cause))
    this.#socket.on("close", () => this.destroy())
  }

  /**
   * Sets the rows of the next statement, which is a COPY: whole messages, in memory that does not change until the statement has ended. The
   * driver must have nothing in flight.
   */
  give(messages: Uint8Array): void {
    this.#rows = messages
    this.#begun = none
    this.#rest = 0
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Uint8Array, _encoding: unknown, written: (cause?: Error | null) => void): void {
    this.#socket.write(chunk, written)
  }

  override _final(ended: () => void): void {
    this.#socket.end(ended)
  }

  override _destroy(cause: Error | null, destroyed: (cause?: Error | null) => void): void {
    this.#rows = null
    this.#socket.destroy()
    destroyed(cause)
  }

  /** Passes bytes to the driver. */
  #pass(bytes: Uint8Array): void {
    if (bytes.length > 0 && !this.push(bytes)) this.#socket.pause()
  }

  /** Inspects the answers to the statement with prepared rows. */
  #look(chunk: Uint8Array): void {
    const bytes = this.#begun.length === 0 ? chunk : Buffer.concat([this.#begun, chunk])
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let passed = 0
    let at = Math.min(this.#rest, bytes.length)
    this.#rest -= at
    while (this.#rows !== null && bytes.length - at >= headBytes) {
      const end = at + 1 + view.getInt32(at + 1)
      if (bytes[at] === copyInResponse) {
        if (end > bytes.length) break
        this.#pass(bytes.subarray(passed, at))
        passed = end
        this.#send(this.#rows)
      }
      if (bytes[at] === copyInResponse || bytes[at] === readyForQuery) this.#rows = null
      at = Math.min(end, bytes.length)
      this.#rest = end - at
    }
    const known = this.#rows === null ? bytes.length : at
    this.#begun = bytes.slice(known)
    this.#pass(bytes.subarray(passed, known))
  }

  #send(messages: Uint8Array): void {
    for (let at = 0; at < messages.length; at += pieceBytes) {
      this.#socket.write(messages.subarray(at, at + pieceBytes))
    }
    this.#socket.write(copyDoneAndSync)
  }
}
