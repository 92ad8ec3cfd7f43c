/**
 * The newest alerts: those that are stored, and those that the tab's subscription has sent. Newest first and bounded.
 *
 * The service sends a new subscription the alerts that are not cleared, and then each revision of what it has sent. It does not send what
 * was cleared before. An alert may be sent before it is stored. Invariants:
 * 1. An alert that the present subscription has sent is newer than the stored one, and stays.
 * 2. Every other alert is as it is stored: what earlier subscriptions sent is forgotten by the next read.
 * 3. A read that failed is repeated. So is one with an open alert that the subscription has not sent: it may be cleared in a moment.
 */
import { type Signal, signal } from "@preact/signals"
import { RequestFailed } from "../service/request-failed.ts"
import type { Alert } from "../service/types.ts"

/** Requests about alerts. They throw `RequestFailed`. */
interface AlertRequests {
  /** The newest stored alerts, newest first. */
  readonly stored: (limit: number) => Promise<ReadonlyArray<Alert>>
  readonly acknowledge: (alertId: string) => Promise<unknown>
}

interface AlertList {
  readonly alerts: Signal<ReadonlyArray<Alert>>
  /** Whether the stored alerts were read. */
  readonly isRead: Signal<boolean>
  /** Why the last read failed; null: it did not. */
  readonly fault: Signal<string | null>
  /** A subscription begins: what follows by `received` is its own. */
  readonly subscribed: () => void
  readonly received: (alert: Alert) => void
  /** Reads the stored alerts. */
  readonly load: () => Promise<void>
  /** Acknowledges an alert. Throws `RequestFailed`. */
  readonly acknowledge: (alertId: string) => Promise<void>
  /** Forgets all: the user has signed out. */
  readonly clear: () => void
}

const alertsMax = 100
/** After this time, a read is repeated. */
const readAgainMs = 30_000

interface Kept extends Pick<AlertList, "alerts" | "isRead" | "fault"> {
  readonly requests: AlertRequests
  /** Ids of the alerts that the present subscription has sent. */
  readonly sent: Set<string>
  /** The number of the newest read; answers to earlier ones are dropped. */
  newestRead: number
  timer: ReturnType<typeof setTimeout> | undefined
}

const receive = ({ alerts, sent }: Kept, alert: Alert): void => {
  const all = [alert, ...alerts.value.filter(({ alert_id }) => alert_id !== alert.alert_id)]
  alerts.value = all.slice(0, alertsMax)
  sent.add(alert.alert_id)
  for (const { alert_id } of all.slice(alertsMax)) sent.delete(alert_id)
}

const readAgainLater = (kept: Kept): void => {
  kept.timer = setTimeout(() => void read(kept), readAgainMs)
}

const accept = (kept: Kept, stored: ReadonlyArray<Alert>): void => {
  const { alerts, fault, isRead, sent } = kept
  const isSent = ({ alert_id }: Alert): boolean => sent.has(alert_id)
  const others = stored.filter((alert) => !isSent(alert))
  alerts.value = [...alerts.value.filter(isSent), ...others].slice(0, alertsMax)
  isRead.value = true
  fault.value = null
  if (others.some(({ status }) => status === "open")) readAgainLater(kept)
}

const read = async (kept: Kept): Promise<void> => {
  clearTimeout(kept.timer)
  const number = ++kept.newestRead
  try {
    const stored = await kept.requests.stored(alertsMax)
    if (number === kept.newestRead) accept(kept, stored)
  } catch (cause) {
    if (number !== kept.newestRead) return
    kept.fault.value = (cause as Error).message
    readAgainLater(kept)
  }
}

const acknowledge = async (kept: Kept, alertId: string): Promise<void> => {
  try {
    await kept.requests.acknowledge(alertId)
  } catch (cause) {
    // It is not open any more.
    if (cause instanceof RequestFailed && cause.status === 404) void read(kept)
    throw cause
  }
  const alert = kept.alerts.value.find(({ alert_id }) => alert_id === alertId)
  if (alert?.status === "open") receive(kept, { ...alert, status: "acknowledged" })
}

const clear = (kept: Kept): void => {
  clearTimeout(kept.timer)
  kept.newestRead++
  kept.sent.clear()
  kept.alerts.value = []
  kept.isRead.value = false
  kept.fault.value = null
}

export const makeAlertList = (requests: AlertRequests): AlertList => {
  const alerts = signal<ReadonlyArray<Alert>>([])
  const isRead = signal(false)
  const fault = signal<string | null>(null)
  const kept: Kept = { requests, alerts, isRead, fault, sent: new Set(), newestRead: 0, timer: undefined }
  return {
    alerts,
    isRead,
    fault,
    subscribed: () => {
      kept.sent.clear()
      void read(kept)
    },
    received: (alert) => receive(kept, alert),
    load: () => read(kept),
    acknowledge: (alertId) => acknowledge(kept, alertId),
    clear: () => clear(kept),
  }
}
