/** The alerts that this tab knows, and requests about them as the signed-in user. */
import { computed } from "@preact/signals"
import { authorised } from "../service/session.ts"
import type { Alert } from "../service/types.ts"
import { makeAlertList } from "./alert-list.ts"

const list = makeAlertList({
  stored: async (limit) =>
    (await authorised<{ readonly alerts: ReadonlyArray<Alert> }>(`/alerts?limit=${limit}`)).alerts,
  acknowledge: (alertId) => authorised(`/alerts/${encodeURIComponent(alertId)}/acknowledge`, { method: "POST" }),
})

export const alerts = list.alerts
export const alertsRead = list.isRead
export const alertsFault = list.fault
export const alertsSubscribed = list.subscribed
export const alertReceived = list.received
export const loadAlerts = list.load
export const acknowledgeAlert = list.acknowledge
export const clearAlerts = list.clear

export const openAlerts = computed(() => alerts.value.filter(({ status }) => status === "open"))
