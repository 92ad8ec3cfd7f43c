/** What runs: the version, where the kernels run and why, the model that estimates poses, and the trust in boards. */
import { isAtLeast } from "../service/session.ts"
import { diagnostics, diagnosticsFault, useDiagnostics } from "../state/diagnostics.ts"
import { newest } from "../state/rooms.ts"

const refreshMs = 30_000

const Fact = ({ children, name }: { readonly name: string; readonly children: string }) => (
  <div class="measure">
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

const models = (): string => {
  const names = new Set(
    [...newest.value.values()].map(({ frame }) => frame.data.metadata.provenance.model_version),
  )
  return names.size === 0 ? "no frame has come yet" : [...names].sort().join(", ")
}

export const ServicePanel = () => {
  useDiagnostics(refreshMs)
  if (!isAtLeast("operator")) return <p class="notice">Only an operator sees what runs.</p>
  const report = diagnostics.value
  if (report === null) return <p class="notice" role="status">{diagnosticsFault.value ?? "Loading…"}</p>
  const { kernels, node_identity: { policy, signed }, version } = report
  return (
    <section class="panel" aria-labelledby="service">
      <h3 id="service">Service</h3>
      <dl class="measures">
        <Fact name="Version">{version}</Fact>
        <Fact name="Model of poses">{models()}</Fact>
        <Fact name="Kernels">
          {kernels === null ? "this node runs none" : `${kernels.backend}, ${kernels.device}: ${kernels.reason}`}
        </Fact>
        <Fact name="Boards">
          {`${signed ? "all signed" : "not all signed"}; unknown boards are ${
            policy === "open" ? "accepted once adopted" : "kept in quarantine"
          }`}
        </Fact>
      </dl>
      {kernels !== null && kernels.skipped.length > 0 && (
        <p class="reason">
          {`Not used: ${kernels.skipped.map(({ backend, reason }) => `${backend} (${reason})`).join("; ")}`}
        </p>
      )}
      <p>
        <a href="docs">API reference</a>
      </p>
    </section>
  )
}
