/**
 * A connection to PostgreSQL over which the driver, which knows no COPY, can run `COPY ... FROM STDIN`.
 *
 * Owns the socket. What the driver and the server say passes through, but where the server answers a statement with CopyInResponse: the
 * driver does not see that, and the rows that were given before are sent in its place, with CopyDone and a Sync, because a server that
 * copies ignores the Sync that the driver has sent after the statement. All that follows (CommandComplete or an error, ReadyForQuery) is
 * the driver's again, so that a COPY is a statement as any other to it: its errors, its transaction, its interruption.
 *
 * Invariants:
 * 1. Rows are sent only when the server asks for them, once: a statement that is refused leaves nothing on the way.
 * 2. What was given is forgotten when the statement ends.
 */
import { connect, type NetConnectOpts, type Socket } from "node:net"
import { Duplex } from "node:stream"

/** CopyDone and Sync, both without content. */
const copyDoneAndSync = Uint8Array.of("c".charCodeAt(0), 0, 0, 0, 4, "S".charCodeAt(0), 0, 0, 0, 4)
const copyInResponse = "G".charCodeAt(0)
const readyForQuery = "Z".charCodeAt(0)

/** A type and a length, which counts itself. */
const headBytes = 5

/** Rows are handed to the socket in pieces: a runtime that copies what it writes finds memory for these faster. */
const pieceBytes = 65_536

const none = new Uint8Array(0)

export class CopyStream extends Duplex {
  readonly #socket: Socket
  /** The messages to send when they are asked for; null while none are given. */
  #rows: Uint8Array | null = null
  /** What came of a message that is looked at when it is whole. */
  #begun: Uint8Array = none
  /** Bytes that are still to come of a message that is the driver's. */
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
   * Gives the rows of the next statement, which is a COPY: whole messages, in memory that stays as it is until the statement has ended. The
   * driver must have nothing on the way.
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

  /** Hands bytes to the driver. */
  #pass(bytes: Uint8Array): void {
    if (bytes.length > 0 && !this.push(bytes)) this.#socket.pause()
  }

  /** Looks through the answers to the statement whose rows are given. */
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
