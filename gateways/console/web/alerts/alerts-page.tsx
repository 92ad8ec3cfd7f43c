/** The newest alerts, open ones first, with acknowledgement. */
import { session } from "../service/session.ts"
import type { Alert } from "../service/types.ts"
import { acknowledgeAlert, alerts, alertsFault, alertsRead, loadAlerts } from "../state/alerts.ts"
import { sureText } from "../state/room-summary.ts"
import { roomName } from "../state/rooms.ts"
import { dateTimeText } from "../state/time-text.ts"
import { useAttempt } from "../state/use-attempt.ts"

const titles: Readonly<Record<Alert["alert_type"], string>> = {
  fall_detection: "Fall",
  inactivity: "No movement for long",
  intrusion: "Intrusion",
}

const statusWords: Readonly<Record<Alert["status"], string>> = {
  open: "open",
  acknowledged: "acknowledged",
  cleared: "over",
}

const mayAcknowledge = (): boolean => session.value.state === "signed-in" && session.value.role !== "viewer"

const placeOf = ({ data, environment_id, metadata }: Alert): string => {
  const zone = metadata.zone === null ? "" : `, ${metadata.zone.zone_name}`
  const place = data.location === null ? "" : ` at ${data.location.x.toFixed(1)}, ${data.location.y.toFixed(1)} m`
  return `${roomName(environment_id)}${zone}${place}`
}

const Acknowledge = ({ alertId }: { readonly alertId: string }) => {
  const { fault, isBusy, run } = useAttempt((message) => `Not acknowledged. ${message}`)
  return (
    <>
      <button type="button" disabled={isBusy} onClick={() => void run(() => acknowledgeAlert(alertId))}>
        Acknowledge
      </button>
      {fault !== null && <p class="fault" role="alert">{fault}</p>}
    </>
  )
}

/** What is known of the list as a whole; nothing while it is as it is stored. */
const ListState = () => {
  if (alertsFault.value !== null) {
    return (
      <div class="notice" role="alert">
        <p>{`The stored alerts could not be read, and what is shown may be old. ${alertsFault.value}`}</p>
        <button type="button" onClick={() => void loadAlerts()}>Try again</button>
      </div>
    )
  }
  if (!alertsRead.value) return <p class="notice" role="status">Loading the alerts…</p>
  if (alerts.value.length > 0) return null
  return <p class="notice">No alert is stored. Falls, long inactivity and intrusion raise alerts.</p>
}

const Row = ({ alert }: { readonly alert: Alert }) => (
  <li class={`alert severity-${alert.severity} status-${alert.status}`}>
    <div>
      <h3>{titles[alert.alert_type]}</h3>
      <p>
        {`${placeOf(alert)}, ${dateTimeText(alert.timestamp)}, sure ${
          sureText(alert.data.confidence)
        }, ${alert.metadata.provenance.source}`}
      </p>
    </div>
    <span class="status">{`${alert.severity}, ${statusWords[alert.status]}`}</span>
    {alert.status === "open" && mayAcknowledge() && <Acknowledge alertId={alert.alert_id} />}
  </li>
)

export const AlertsPage = () => {
  const list = [...alerts.value].sort((a, b) => Number(b.status === "open") - Number(a.status === "open"))
  return (
    <section>
      <h2>Alerts</h2>
      <ListState />
      {list.length > 0 && <ul class="alerts">{list.map((alert) => <Row key={alert.alert_id} alert={alert} />)}</ul>}
    </section>
  )
}
