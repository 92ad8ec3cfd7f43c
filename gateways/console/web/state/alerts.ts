/** The newest stored alerts, and those that this tab has been sent; newest first and bounded. */
import { computed, signal } from "@preact/signals"
import { authorised } from "../service/session.ts"
import type { Alert } from "../service/types.ts"

const alertsMax = 100

export const alerts = signal<ReadonlyArray<Alert>>([])

export const alertReceived = (alert: Alert): void => {
  const others = alerts.value.filter(({ alert_id }) => alert_id !== alert.alert_id)
  alerts.value = [alert, ...others].slice(0, alertsMax)
}

/** Reads the newest stored alerts. What the socket has sent meanwhile is newer and stays. */
export const loadAlerts = async (): Promise<void> => {
  const stored = await authorised<{ readonly alerts: ReadonlyArray<Alert> }>(`/alerts?limit=${alertsMax}`)
    .catch(() => null)
  if (stored === null) return
  const received = new Set(alerts.value.map(({ alert_id }) => alert_id))
  alerts.value = [...alerts.value, ...stored.alerts.filter(({ alert_id }) => !received.has(alert_id))].slice(
    0,
    alertsMax,
  )
}

export const openAlerts = computed(() => alerts.value.filter(({ status }) => status === "open"))
