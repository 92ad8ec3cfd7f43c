/** The coverage of a plan: by geometry at once, and simulated by the service on request, with what one more board would change. */
import { type Signal, useSignal } from "@preact/signals"
import { authorised } from "../service/session.ts"
import { RequestFailed } from "../service/request-failed.ts"
import type { Coverage, Geometry } from "../service/types.ts"
import { usePolling } from "../state/polling.ts"
import { coverageMap, grades, nextNode } from "./plan/coverage-map.ts"
import type { Draft } from "./plan/draft.ts"
import { lengthText } from "./plan/lengths.ts"
import type { Overlay } from "./plan/plan-editor.tsx"
import type { PlanStore } from "./plan/plan-store.ts"
import { isOutdated, type Simulation, simulationNote } from "./simulation.ts"

const runningMs = 2_000
const idleMs = 30_000
const candidateHeightM = 1.2

/** Errors up to which a square has a grade, metres. */
const errorMax = { good: 0.25, fair: 0.5 } as const

type Result = NonNullable<Coverage["result"]>

const simulatedGrade = ({ error_m, missed_share }: Result["squares"][number]): typeof grades[number] => {
  if (error_m === null || (missed_share ?? 1) > 0.5) return "blind"
  return error_m <= errorMax.good ? "good" : error_m <= errorMax.fair ? "fair" : "weak"
}

export const geometryOverlay = ({ geometry }: Draft): Overlay | null => {
  if (geometry === null || geometry.nodes.length === 0) return null
  const next = nextNode(geometry)
  return { ...coverageMap(geometry), next: next === null ? null : { ...next, label: "one more here" } }
}

export const simulatedOverlay = (simulation: Simulation | null, { geometry }: Draft): Overlay | null => {
  const result = simulation?.job.result
  if (result == null || isOutdated(simulation!, geometry)) return null
  const [candidate] = result.candidates
  return {
    cellM: result.square_m,
    cells: result.squares.map((square) => ({ x: square.x, y: square.y, grade: simulatedGrade(square) })),
    next: candidate === undefined ? null : {
      ...candidate.position,
      label: candidate.error_m === null ? "one more" : `one more: ${errorText(candidate.error_m)}`,
    },
  }
}

const errorText = (errorM: number | null): string => errorM === null ? "–" : `${errorM.toFixed(2)} m`

const legends = {
  geometry: {
    words: { good: "located well", fair: "fairly", weak: "poorly", blind: "not at all" },
    note: "By the geometry of the links alone: no walls, no noise. It ranks places and is no error.",
  },
  simulated: {
    words: { good: "error up to 0.25 m", fair: "up to 0.5 m", weak: "more", blind: "mostly not located" },
    note:
      "Simulated: one person who walks through the bare room of this plan, with common hardware. Your walls and furniture differ.",
  },
} as const

export const CoverageLegend = ({ kind }: { readonly kind: keyof typeof legends }) => (
  <p class="legend">
    {grades.map((grade) => <span key={grade} class={`key key-grade-${grade}`}>{legends[kind].words[grade]}</span>)}
    <small>{legends[kind].note}</small>
  </p>
)

const pathOf = (environmentId: string): string => `/environments/${encodeURIComponent(environmentId)}/coverage`

const Figures = ({ coverage }: { readonly coverage: Coverage }) => {
  const { antennas, result } = coverage
  if (result === null) return null
  const [candidate] = result.candidates
  const missed = result.missed_share === null
    ? ""
    : `, not located in ${Math.round(100 * result.missed_share)} % of the time`
  return (
    <>
      <p>
        {result.error_m === null
          ? `With ${
            antennas === 1 ? "one antenna a board" : "these links"
          }, no person is located: presence and motion work without it.`
          : `Median error ${errorText(result.error_m)}${missed}, from ${result.moments} simulated moments.`}
      </p>
      {candidate !== undefined && result.error_m !== null && candidate.error_m !== null && (
        <p>
          {`With one more board at ${lengthText(candidate.position.x)}, ${lengthText(candidate.position.y)} m: ${
            errorText(candidate.error_m)
          }${candidate.error_m < result.error_m ? "" : ", no better"}.`}
        </p>
      )}
    </>
  )
}

export const CoverageSimulation = ({ simulation, store }: {
  readonly store: PlanStore
  readonly simulation: Signal<Simulation | null>
}) => {
  const antennas = useSignal(3)
  const fault = useSignal<string | null>(null)
  const attempt = async (geometry: Geometry | null, work: () => Promise<Coverage>): Promise<void> => {
    try {
      simulation.value = { job: await work(), geometry }
      fault.value = null
    } catch (cause) {
      // Nothing was simulated yet: that is no fault.
      if (!(cause instanceof RequestFailed) || cause.status !== 404) fault.value = (cause as Error).message
    }
  }
  const job = simulation.value?.job ?? null
  const isRunning = job?.state === "running"
  usePolling(
    async () => {
      const known = simulation.value
      if (known !== null && known.job.state !== "running") return
      await attempt(known?.geometry ?? null, () => authorised<Coverage>(pathOf(store.environmentId)))
    },
    isRunning ? runningMs : idleMs,
    `${store.environmentId} ${isRunning}`,
  )
  const start = (): void => {
    const { geometry } = store.draft.value
    if (geometry === null) return
    const next = nextNode(geometry)
    const candidates = next === null ? [] : [{ ...next, z: Math.min(candidateHeightM, geometry.size.z) }]
    const body = { geometry, antennas: antennas.value, candidates }
    void attempt(geometry, () => authorised<Coverage>(pathOf(store.environmentId), { method: "POST", body }))
  }
  const { geometry } = store.draft.value
  const note = simulation.value === null || job?.state !== "done" ? null : simulationNote(simulation.value, geometry)
  return (
    <div class="simulation" role="group" aria-label="Simulated coverage">
      {fault.value !== null && <p class="fault" role="alert">{fault.value}</p>}
      {job?.state === "failed" && <p class="fault" role="alert">{job.failure}</p>}
      {job?.state === "done" && !isOutdated(simulation.value!, geometry) && <Figures coverage={job} />}
      {note !== null && <p class="reason">{note}</p>}
      {job?.state === "running"
        ? (
          <p class="actions" role="status">
            Simulating… <progress max={1} value={job.progress} aria-label="Progress of the simulation" />
          </p>
        )
        : (
          <p class="actions">
            <label>
              Antennas of a board{" "}
              <select
                value={antennas.value}
                onChange={({ currentTarget }) => antennas.value = Number(currentTarget.value)}
              >
                {[1, 2, 3, 4].map((count) => <option key={count} value={count}>{count}</option>)}
              </select>
            </label>
            <button type="button" onClick={start}>{job === null ? "Simulate" : "Simulate again"}</button>
          </p>
        )}
    </div>
  )
}
