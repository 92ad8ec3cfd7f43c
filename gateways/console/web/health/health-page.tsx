/** The health page: what prevents or limits the result of each room and what to do, and how each board does. */
import { isAtLeast } from "../service/session.ts"
import type { Diagnostics } from "../service/types.ts"
import { diagnostics, diagnosticsFault, useDiagnostics } from "../state/diagnostics.ts"
import { findings, findingsFault, useFindings } from "../state/findings.ts"
import { roomName } from "../state/rooms.ts"
import { FindingList } from "./finding-list.tsx"
import { type FindingGroup, groupsOf } from "./findings.ts"

const refreshMs = 15_000

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
            <td>{roomName(router.environment_id)}</td>
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

const Group = ({ group: { environmentId, fine, open } }: { readonly group: FindingGroup }) => {
  const name = environmentId === null ? "The service" : roomName(environmentId)
  return (
    <section class="panel">
      <h3>{name}</h3>
      {open.length === 0 && <p class="fine">No problem was found.</p>}
      <FindingList
        findings={open}
        label={`Findings about ${name}`}
        setupHref={environmentId === null ? null : `#/setup?room=${encodeURIComponent(environmentId)}`}
      />
      {fine.length > 0 && (
        <details>
          <summary>{fine.length === 1 ? "One check is fine" : `${fine.length} checks are fine`}</summary>
          <FindingList findings={fine} label={`What is fine about ${name}`} />
        </details>
      )}
    </section>
  )
}

export const HealthPage = () => {
  useDiagnostics(refreshMs)
  useFindings(refreshMs)
  if (!isAtLeast("operator")) {
    return <p class="notice">This account may only look. Sign in as an operator to see the health of the service.</p>
  }
  const [report, list] = [diagnostics.value, findings.value]
  const fault = findingsFault.value ?? diagnosticsFault.value
  return (
    <section>
      <h2>Health</h2>
      {fault !== null && <p class="fault" role="alert">{fault}</p>}
      {list === null && fault === null && <p class="notice" role="status">Examining the service…</p>}
      {list !== null && groupsOf(list.findings).map((group) => <Group key={group.environmentId} group={group} />)}
      {report !== null && <Routers routers={report.routers} />}
      <p class="reason">
        <code>npx wavepose doctor</code> prints the same findings.
      </p>
    </section>
  )
}
