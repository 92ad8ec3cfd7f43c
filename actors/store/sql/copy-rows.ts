/**
 * Rows in PostgreSQL's binary COPY format, within the protocol messages that carry them.
 *
 * Boundary: values and their types only; no table, no connection. PostgreSQL's documentation describes the formats under
 * "COPY", "Binary Format", and "Message Formats". A caller calls `row`, then one method per field in order, and `end` last.
 *
 * Invariant: a value is written exactly or rejected: a value that does not fit its type is a `RangeError`.
 */

/** A message ends at the first row that begins beyond this size: the server buffers a whole message. */
const messageBytes = 65_536
const messageHeadBytes = 5
/** CopyData of the protocol. */
const copyData = "d".charCodeAt(0)

/** The signature, no flags, no extension. */
const head = Uint8Array.of(...[..."PGCOPY\n\xff\r\n\0"].map((c) => c.charCodeAt(0)), 0, 0, 0, 0, 0, 0, 0, 0)
/** The end marker, in place of a number of fields. */
const noMoreRows = -1
const nullLength = -1

/** Microseconds from the Unix epoch to PostgreSQL's, 2000-01-01. */
const epochS = 946_684_800

const halfToEven = (value: number): number => {
  const rounded = Math.round(value)
  return rounded - value === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded
}

/** A time in PostgreSQL's microseconds, rounded as by `to_timestamp(ms / 1000)`. */
export const timestampUsOf = (unixMs: number): number => halfToEven((unixMs / 1000 - epochS) * 1_000_000)

/** The Unix time of a PostgreSQL time in whole milliseconds. */
export const unixMsOf = (timestampUs: number): number => timestampUs / 1000 + epochS * 1000

/** Upper bound in bytes of the messages of `rows` rows with `fieldsBytes` bytes of fields in all, including their lengths. */
export const messagesBytesMax = (rows: number, fieldsBytes: number): number => {
  const bytes = head.length + 2 * rows + fieldsBytes + 2
  return bytes + messageHeadBytes * (2 + Math.ceil(bytes / messageBytes))
}

export class CopyRows {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #messageAt = 0
  #at = messageHeadBytes

  /** @param bytes memory for all messages, see `messagesBytesMax` */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#bytes.set(head, this.#at)
    this.#at += head.length
  }

  /** Begins a row with this number of fields. */
  row(fields: number): void {
    if (this.#at - this.#messageAt > messageBytes) {
      this.#endMessage()
      this.#messageAt = this.#at
      this.#at += messageHeadBytes
    }
    this.#view.setInt16(this.#at, fields)
    this.#at += 2
  }

  null(): void {
    this.#view.setInt32(this.#at, nullLength)
    this.#at += 4
  }

  smallint(value: number): void {
    if (value << 16 >> 16 !== value) throw new RangeError(`${value} is no smallint`)
    this.#view.setInt32(this.#at, 2)
    this.#view.setInt16(this.#at + 4, value)
    this.#at += 6
  }

  boolean(value: boolean): void {
    this.#view.setInt32(this.#at, 1)
    this.#view.setInt8(this.#at + 4, value ? 1 : 0)
    this.#at += 5
  }

  bigint(value: number): void {
    if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no whole number within 53 bits`)
    this.#view.setInt32(this.#at, 8)
    this.#view.setInt32(this.#at + 4, Math.floor(value / 2 ** 32))
    this.#view.setUint32(this.#at + 8, value >>> 0)
    this.#at += 12
  }

  real(value: number): void {
    const nearest = Math.fround(value)
    const lost = Number.isFinite(value) && (!Number.isFinite(nearest) || (nearest === 0 && value !== 0))
    if (lost) throw new RangeError(`${value} is no real`)
    this.#view.setInt32(this.#at, 4)
    this.#view.setFloat32(this.#at + 4, value)
    this.#at += 8
  }

  /** A timestamp with time zone. */
  moment(unixMs: number): void {
    this.bigint(timestampUsOf(unixMs))
  }

  /** A bytea, or a text in UTF-8. */
  bytes(value: Uint8Array): void {
    this.#view.setInt32(this.#at, value.length)
    this.#bytes.set(value, this.#at + 4)
    this.#at += 4 + value.length
  }

  /** Ends the rows. Returns the messages. */
  end(): Uint8Array {
    this.#view.setInt16(this.#at, noMoreRows)
    this.#at += 2
    this.#endMessage()
    return this.#bytes.subarray(0, this.#at)
  }

  #endMessage(): void {
    this.#view.setUint8(this.#messageAt, copyData)
    this.#view.setInt32(this.#messageAt + 1, this.#at - this.#messageAt - 1)
  }
}
