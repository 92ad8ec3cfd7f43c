/** The set-up of one room: its plan with coverage, its boards, its calibration. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { FindingList } from "../health/finding-list.tsx"
import { openFindings } from "../health/findings.ts"
import { liveScene } from "../live/live-scene.ts"
import type { EnvironmentSummary } from "../service/types.ts"
import { diagnostics, useDiagnostics } from "../state/diagnostics.ts"
import { findings, findingsFault, useFindings } from "../state/findings.ts"
import { askBeforeLeaving } from "../shell/navigation.ts"
import { useAttempt } from "../state/use-attempt.ts"
import { BoardsPanel } from "./boards-panel.tsx"
import { CalibrationPanel } from "./calibration-panel.tsx"
import { CoverageLegend, CoverageSimulation, geometryOverlay, simulatedOverlay } from "./coverage-panel.tsx"
import { RemoveRoom } from "./remove-room.tsx"
import { Inspector } from "./plan/inspector.tsx"
import { PlanEditor } from "./plan/plan-editor.tsx"
import { openPlan, type PlanStore } from "./plan/plan-store.ts"
import { type CoverageKind, PlanToolbar } from "./plan/plan-toolbar.tsx"
import type { Simulation } from "./simulation.ts"

const refreshMs = 10_000
const findingsRefreshMs = 20_000

const sourceNotes = {
  simulated: "This room is simulated: its boards, its persons and its calibration are not real.",
  replay: "This room is a replay: calibrate only while an empty recording is played.",
  live: null,
} as const

/** Boards that could be placed: the routers of the room and the transmitters that they hear. */
const knownBoards = ({ routers }: EnvironmentSummary): ReadonlyArray<string> => {
  const heard = diagnostics.value?.routers.filter(({ router_id }) => routers.includes(router_id)) ?? []
  return [...new Set([...routers, ...heard.flatMap(({ transmitters }) => transmitters)])]
}

const Plan = ({ environment, store }: { readonly environment: EnvironmentSummary; readonly store: PlanStore }) => {
  const coverage = useSignal<CoverageKind>("geometry")
  const simulation = useSignal<Simulation | null>(null)
  useEffect(
    () => askBeforeLeaving(() => store.isDirty.value ? "The plan has changes that are not saved. Leave it?" : null),
    [store],
  )
  const overlay = coverage.value === "none"
    ? null
    : coverage.value === "geometry"
    ? geometryOverlay(store.draft.value)
    : simulatedOverlay(simulation.value, store.draft.value)
  return (
    <section
      class="panel plan-panel"
      aria-labelledby="plan-of-room"
      onKeyDown={(event) => {
        if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return
        if (event.target instanceof HTMLInputElement) return
        event.preventDefault()
        if (event.shiftKey) store.redo()
        else store.undo()
      }}
    >
      <h2 id="plan-of-room">Plan</h2>
      <PlanToolbar store={store} known={knownBoards(environment)} coverage={coverage} overlay={overlay} />
      <div class="plan-and-fields">
        <div>
          <PlanEditor store={store} sceneAt={liveScene(environment.environment_id)} overlay={overlay} />
          {coverage.value !== "none" && overlay !== null && <CoverageLegend kind={coverage.value} />}
          {coverage.value === "simulated" && <CoverageSimulation store={store} simulation={simulation} />}
        </div>
        <div class="inspector">
          <Inspector store={store} />
        </div>
      </div>
    </section>
  )
}

export const RoomSetup = ({ environment }: { readonly environment: EnvironmentSummary }) => {
  useDiagnostics(refreshMs)
  useFindings(findingsRefreshMs)
  const store = useSignal<PlanStore | null>(null)
  const opening = useAttempt()
  const open = () => void opening.run(async () => store.value = await openPlan(environment.environment_id))
  useEffect(open, [])
  const note = sourceNotes[environment.origin.source]
  return (
    <div class="setup-room">
      {note !== null && <p class="reason">{note}</p>}
      {!environment.active && (
        <p class="reason">
          This room is not active: the service was started with another source, so nothing is measured here. A start
          with <code>--keep-environments</code> activates it as well.
        </p>
      )}
      {opening.fault !== null && (
        <div class="notice" role="alert">
          <p>{`The plan could not be read. ${opening.fault}`}</p>
          <button type="button" onClick={open}>Try again</button>
        </div>
      )}
      {findingsFault.value !== null && (
        <p class="fault" role="alert">{`The findings could not be read. ${findingsFault.value}`}</p>
      )}
      <FindingList
        findings={openFindings(findings.value?.findings ?? [], environment.environment_id, null)}
        label="Findings about this room"
      />
      {store.value !== null && <Plan environment={environment} store={store.value} />}
      <div class="panels">
        <BoardsPanel environment={environment} />
        {environment.active && (
          <section class="panel">
            <CalibrationPanel environmentId={environment.environment_id} />
          </section>
        )}
        <RemoveRoom environment={environment} />
      </div>
    </div>
  )
}
