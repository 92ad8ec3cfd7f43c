/** The newest alerts, open ones first, with acknowledgement. */
import { acknowledge } from "../service/pose-socket.ts"
import { session } from "../service/session.ts"
import type { Alert } from "../service/types.ts"
import { alerts } from "../state/alerts.ts"
import { sureText } from "../state/room-summary.ts"
import { roomName } from "../state/rooms.ts"
import { dateTimeText } from "../state/time-text.ts"

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
    {alert.status === "open" && mayAcknowledge() &&
      (
        <button
          type="button"
          onClick={() => acknowledge(alert.alert_id)}
        >
          Acknowledge
        </button>
      )}
  </li>
)

export const AlertsPage = () => {
  const list = [...alerts.value].sort((a, b) => Number(b.status === "open") - Number(a.status === "open"))
  return (
    <section>
      <h2>Alerts</h2>
      {list.length === 0
        ? <p class="notice">No alert is stored. Falls, long inactivity and intrusion raise alerts.</p>
        : <ul class="alerts">{list.map((alert) => <Row key={alert.alert_id} alert={alert} />)}</ul>}
    </section>
  )
}
