/** The health page: why a room shows nothing, and how each board does, from the service's own diagnostics. */
import type { Diagnostics } from "../service/types.ts"
import { diagnostics, diagnosticsFault as fault, useDiagnostics } from "../state/diagnostics.ts"
import { findingsOf } from "./findings.ts"

const refreshMs = 10_000

const Routers = ({ routers }: Pick<Diagnostics, "routers">) => (
  <div class="table" role="region" aria-label="Boards" tabIndex={0}>
    <table>
      <caption>Boards</caption>
      <thead>
        <tr>
          <th scope="col">Board</th>
          <th scope="col">Room</th>
          <th scope="col">State</th>
          <th scope="col">Packets per second</th>
          <th scope="col">Loss</th>
          <th scope="col">Calibrated links</th>
        </tr>
      </thead>
      <tbody>
        {routers.map((router) => (
          <tr key={router.router_id}>
            <th scope="row">{router.router_id}</th>
            <td>{router.environment_id}</td>
            <td>{router.reason ?? router.state ?? "–"}</td>
            <td>{router.packet_rate_hz?.toFixed(0) ?? "–"}</td>
            <td>{router.packet_loss_rate === null ? "–" : `${(100 * router.packet_loss_rate).toFixed(1)} %`}</td>
            <td>
              {router.calibration === null
                ? "–"
                : `${router.calibration.calibrated_links} of ${router.calibration.links}${
                  router.calibration.running ? ", running" : ""
                }`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

export const HealthPage = () => {
  useDiagnostics(refreshMs)
  const report = diagnostics.value
  if (report === null) return <p class="notice" role="status">{fault.value ?? "Loading…"}</p>
  const findings = findingsOf(report)
  return (
    <section>
      <h2>Health</h2>
      {fault.value !== null && <p class="reason" role="alert">{fault.value}</p>}
      {findings.length === 0
        ? <p class="notice good">All rooms send frames on time.</p>
        : <ul class="findings">{findings.map((text) => <li key={text}>{text}</li>)}</ul>}
      <Routers routers={report.routers} />
      <p class="reason">
        <code>npx wavepose doctor</code> examines more: clocks, senders, geometry.
      </p>
    </section>
  )
}
