/**
 * The counts of a datagram listener: received datagrams by sender, and dropped ones by reason. They show an operator why there are no
 * frames.
 *
 * Invariant: at most `routersMax` routers and `foreignSendersMax` addresses are remembered, whatever is sent. Forged addresses cannot keep a
 * new router out for longer than they are sent: a router that was silent for `silentMs` makes room.
 */
import type { BinOrderFinding } from "../../core/formats/bin-order.ts"
import type { FaultReason } from "../../core/formats/decoder.ts"
import type { DeviceReport } from "../../core/formats/ruview-report.ts"
import type { DatagramRefusal, RefusalReason } from "../../protocols/domain/node-identity.ts"
import type { SenderLimit } from "./sender-limit.ts"
import type { IngestErrorCode } from "../../protocols/grpc/ingest-ack.ts"

/**
 * Why a datagram, or a frame of one, did not reach an environment.
 *
 * `device_report`: it carries the router's own evaluation of its CSI, and no CSI. `not_accepted`: the router actor took the batch
 * and dropped these frames. `queue_full`: the router actor is slower than its datagrams. `shed`: they waited too long for it.
 * `rate_limited`: its sender sends more than one may. `too_many_routers`: more than `routersMax` send to this port.
 */
type DropReason =
  | FaultReason
  | IngestErrorCode
  | RefusalReason
  | "device_report"
  | "not_accepted"
  | "queue_full"
  | "rate_limited"
  | "shed"
  | "socket_error"
  | "too_many_routers"

/** One router since the start. Times are milliseconds since the Unix epoch. */
interface RouterCounts {
  readonly routerId: string
  readonly lastDatagramMs: number
  /** CSI frames that were received. */
  readonly frames: number
  /** Frames that were dropped, for any reason. */
  readonly droppedFrames: number
  /** Why frames were last dropped. */
  readonly lastDrop: { readonly reason: DropReason; readonly atMs: number } | null
  /** The router's last report on its own CSI. */
  readonly lastReport: DeviceReport | null
  /** Whether its last admitted datagram was signed; null before the first. */
  readonly signed: boolean | null
  /** The order of its subcarriers, where its datagrams do not name it; null until it is known, and for other kinds of routers. */
  readonly binOrder: BinOrderFinding | null
}

/** An address that sends datagrams of another kind to this port. */
interface ForeignSender {
  readonly address: string
  readonly datagrams: number
  readonly lastDatagramMs: number
}

/** Datagrams and their frames since the start. */
export interface DatagramCounts {
  readonly received: number
  readonly accepted: number
  readonly dropped: Readonly<Partial<Record<DropReason, number>>>
  readonly routers: ReadonlyArray<RouterCounts>
  /** The senders of datagrams that do not begin as those of this port do. */
  readonly foreignSenders: ReadonlyArray<ForeignSender>
}

/** The counts of a listener, with the senders that were limited. */
export interface ListenerCounts extends DatagramCounts {
  readonly limitedSenders: SenderLimit["limited"]
}

export const routersMax = 256
/** When `routersMax` routers are remembered, one that was silent for this long is forgotten for a new one. */
export const silentMs = 60_000
const foreignSendersMax = 64
/** A reason is logged at most once in this time. */
const logMs = 10_000

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

interface TallyEvents {
  /** A reason, the number of drops for it, and an example; at most once in `logMs` for each reason. */
  readonly log: (reason: DropReason, dropped: number, example: string) => void
  /** A router was forgotten for a new one. */
  readonly forgotten: (routerId: string) => void
}

/** Counts what one listener receives. */
export class DatagramTally {
  readonly #events: TallyEvents
  readonly #dropped: Partial<Record<DropReason, number>> = {}
  readonly #loggedMs = new Map<DropReason, number>()
  readonly #routers = new Map<string, Mutable<RouterCounts>>()
  readonly #foreign = new Map<string, Mutable<ForeignSender>>()
  received = 0
  accepted = 0

  constructor(events: TallyEvents) {
    this.#events = events
  }

  get counts(): DatagramCounts {
    return {
      received: this.received,
      accepted: this.accepted,
      dropped: { ...this.#dropped },
      routers: Array.from(this.#routers.values(), (router) => ({ ...router })),
      foreignSenders: Array.from(this.#foreign.values(), (sender) => ({ ...sender })),
    }
  }

  #routerOf(routerId: string, nowMs: number): Mutable<RouterCounts> | null {
    const known = this.#routers.get(routerId)
    if (known !== undefined) return known
    if (this.#routers.size >= routersMax && !this.#forgetSilent(nowMs)) return null
    const router = {
      routerId,
      lastDatagramMs: nowMs,
      frames: 0,
      droppedFrames: 0,
      lastDrop: null,
      lastReport: null,
      signed: null,
      binOrder: null,
    }
    this.#routers.set(routerId, router)
    return router
  }

  /** Forgets the router that was silent longest; false if that is less than `silentMs`. */
  #forgetSilent(nowMs: number): boolean {
    const silent = [...this.#routers.values()].reduce((a, b) => b.lastDatagramMs < a.lastDatagramMs ? b : a)
    if (nowMs - silent.lastDatagramMs < silentMs) return false
    this.#routers.delete(silent.routerId)
    this.#events.forgotten(silent.routerId)
    return true
  }

  /** Counts a rejected datagram; its apparent node, if it has one, is remembered with the reason. */
  reject({ message, nodeId, reason }: DatagramRefusal, nowMs: number): void {
    if (nodeId !== null) this.#routerOf(nodeId, nowMs)
    this.drop(reason, 1, nodeId, message, nowMs)
  }

  /** Counts a datagram of a router; false when there are too many routers to remember this one. */
  addRouter(routerId: string, frames: number, report: DeviceReport | null, signed: boolean, nowMs: number): boolean {
    const router = this.#routerOf(routerId, nowMs)
    if (router === null) return false
    router.lastDatagramMs = nowMs
    router.signed = signed
    router.frames += frames
    router.lastReport = report ?? router.lastReport
    return true
  }

  /** Sets the order of a router's subcarriers; true when it has just become unknown. */
  setOrder(routerId: string, binOrder: BinOrderFinding | null): boolean {
    const router = this.#routers.get(routerId)
    if (router === undefined || router.binOrder === binOrder) return false
    router.binOrder = binOrder
    return binOrder === "unknown"
  }

  /** Counts a datagram that does not begin as those of this port do. */
  addForeign(address: string, nowMs: number): void {
    const known = this.#foreign.get(address)
    this.#foreign.delete(address)
    // The address that has been silent longest is forgotten.
    if (this.#foreign.size >= foreignSendersMax) this.#foreign.delete(this.#foreign.keys().next().value!)
    this.#foreign.set(address, { address, datagrams: (known?.datagrams ?? 0) + 1, lastDatagramMs: nowMs })
  }

  /** Counts dropped frames, or datagrams without frames; `routerId` is null where they do not name it. */
  drop(reason: DropReason, frames: number, routerId: string | null, example: string, nowMs: number): void {
    if (frames === 0) return
    const dropped = (this.#dropped[reason] ?? 0) + frames
    this.#dropped[reason] = dropped
    // A report is not a fault.
    if (reason === "device_report") return
    const router = routerId === null ? undefined : this.#routers.get(routerId)
    if (router !== undefined) {
      router.lastDrop = { reason, atMs: nowMs }
      router.droppedFrames += frames
    }
    if (nowMs - (this.#loggedMs.get(reason) ?? -Infinity) < logMs) return
    this.#loggedMs.set(reason, nowMs)
    this.#events.log(reason, dropped, example)
  }
}
