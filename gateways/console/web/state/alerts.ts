/** The alerts that this tab has been sent, newest first; bounded. */
import { computed, signal } from "@preact/signals"
import type { Alert } from "../service/types.ts"

const alertsMax = 100

export const alerts = signal<ReadonlyArray<Alert>>([])

export const alertReceived = (alert: Alert): void => {
  const others = alerts.value.filter(({ alert_id }) => alert_id !== alert.alert_id)
  alerts.value = [alert, ...others].slice(0, alertsMax)
}

export const openAlerts = computed(() => alerts.value.filter(({ status }) => status === "open"))
