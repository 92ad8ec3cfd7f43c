/** The datagram ports of the answering node in the diagnostics: what came in, and from whom. */
import { Schema } from "effect"
import { Count } from "./fields.ts"
import { IsoTime, isoTime } from "./forms.ts"

/** A datagram port of the answering node, and its senders. Times are milliseconds since the Unix epoch. */
export interface DatagramListenerReport {
  /** The format of its datagrams, e.g. `ruview`. */
  readonly kind: string
  readonly host: string
  readonly port: number
  readonly received: number
  readonly accepted: number
  readonly dropped: Readonly<Record<string, number>>
  readonly routers: ReadonlyArray<{
    readonly routerId: string
    readonly lastDatagramMs: number
    readonly frames: number
    readonly lastDrop: { readonly reason: string; readonly atMs: number } | null
    /** Whether it also sends results that it derives from its CSI. */
    readonly reports: boolean
    /** Whether its last accepted datagram was signed; null: none was accepted. */
    readonly signed: boolean | null
    /** The order of its subcarriers, detected by the guard subcarriers; null if its datagrams name it, or too few have arrived. */
    readonly binOrder: "centre-first" | "ascending" | "unknown" | null
  }>
  readonly foreignSenders: ReadonlyArray<{
    readonly address: string
    readonly datagrams: number
    readonly lastDatagramMs: number
  }>
}

export const DatagramPortBody = Schema.Struct({
  kind: Schema.String,
  host: Schema.String,
  port: Count,
  received: Count,
  accepted: Count,
  dropped: Schema.Record(Schema.String, Count),
  routers: Schema.Array(Schema.Struct({
    router_id: Schema.String,
    last_datagram_time: IsoTime,
    frames: Count,
    last_drop: Schema.NullOr(Schema.Struct({ reason: Schema.String, time: IsoTime })),
    reports: Schema.Boolean,
    signed: Schema.NullOr(Schema.Boolean),
    bin_order: Schema.NullOr(Schema.Literals(["centre-first", "ascending", "unknown"])).annotate({
      description:
        "Order of the subcarriers in its datagrams, detected by the guard subcarriers: `centre-first` is 0 to 31, -32 to -1; " +
        "`ascending` is -32 to 31; for `unknown`, centre-first is assumed. Null: its datagrams name the order, or too few arrived.",
    }),
  })),
  foreign_senders: Schema.Array(
    Schema.Struct({ address: Schema.String, datagrams: Count, last_datagram_time: IsoTime }),
  ),
})

export const datagramPortBody = (listener: DatagramListenerReport): typeof DatagramPortBody.Type => ({
  kind: listener.kind,
  host: listener.host,
  port: listener.port,
  received: listener.received,
  accepted: listener.accepted,
  dropped: listener.dropped,
  routers: listener.routers.map(({ binOrder, frames, lastDatagramMs, lastDrop, reports, routerId, signed }) => ({
    router_id: routerId,
    last_datagram_time: isoTime(lastDatagramMs),
    frames,
    last_drop: lastDrop === null ? null : { reason: lastDrop.reason, time: isoTime(lastDrop.atMs) },
    reports,
    signed,
    bin_order: binOrder,
  })),
  foreign_senders: listener.foreignSenders.map(({ address, datagrams, lastDatagramMs }) => ({
    address,
    datagrams,
    last_datagram_time: isoTime(lastDatagramMs),
  })),
})
