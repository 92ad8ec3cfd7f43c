/** One environment: its sentence, plan, three-dimensional view, strip, persons and vital signs. */
import { FindingList } from "../health/finding-list.tsx"
import { isAtLeast } from "../service/session.ts"
import { findings } from "../state/findings.ts"
import { ageShownMs } from "../state/room-summary.ts"
import { newest, roomOf } from "../state/rooms.ts"
import type { Environment } from "../service/types.ts"
import { FloorPlan } from "./floor-plan.tsx"
import { liveScene } from "./live-scene.ts"
import { liveSummary } from "./live-summary.ts"
import { PersonsList } from "./persons-list.tsx"
import { SourceMark } from "./source-mark.tsx"
import { Stage } from "./stage.tsx"
import { Strip } from "./strip.tsx"
import { Vitals } from "./vitals.tsx"

const sourceWords = { live: "live", replay: "replay", simulated: "simulated" } as const

/** The names of the replayed files, without their folders. */
const recordingNames = (paths: string): string => paths.split(", ").map((path) => path.split("/").at(-1)).join(", ")

/** What prevents frames of a room, with its boards. Limits are shown by the set-up and the health page. */
const problemsOf = (environmentId: string) =>
  (findings.value?.findings ?? []).filter((one) => one.environment_id === environmentId && one.verdict === "problem")

export const RoomCard = ({ environment }: { readonly environment: Environment }) => {
  const received = newest.value.get(environment.environment_id) ?? null
  const summary = liveSummary(environment.environment_id, isAtLeast("operator"))
  const { geometry } = environment
  const sceneAt = liveScene(environment.environment_id)
  const source = received?.frame.data.metadata.provenance.source ?? environment.origin.source
  const isShown = received !== null && summary.state !== "stale"
  return (
    <article
      class={`room source-${source} state-${summary.state}`}
      aria-labelledby={`room-${environment.environment_id}`}
    >
      <header>
        <h2 id={`room-${environment.environment_id}`}>{environment.name}</h2>
        <span class={`chip chip-${source}`}>{sourceWords[source]}</span>
        {source === "replay" && environment.origin.name !== null && (
          <span class="recording">{recordingNames(environment.origin.name)}</span>
        )}
        {summary.ageMs !== null && summary.ageMs >= ageShownMs && (
          <span class="age">{`${(summary.ageMs / 1000).toFixed(0)} s old`}</span>
        )}
      </header>
      <p class="sentence">{summary.sentence}</p>
      {summary.reason !== null && <p class="reason">{summary.reason}</p>}
      <FindingList findings={problemsOf(environment.environment_id)} label={`Problems of ${environment.name}`} />
      {geometry === null
        ? (
          <p class="reason">
            No floor plan: this room was enrolled without positions, so it has presence, motion and breathing only.
          </p>
        )
        : (
          <div class="views">
            <FloorPlan environment={environment} geometry={geometry} sceneAt={sceneAt} />
            <Stage geometry={geometry} sceneAt={sceneAt} />
            <SourceMark source={source} />
          </div>
        )}
      <Strip environmentId={environment.environment_id} />
      {isShown && (
        <PersonsList letters={roomOf(environment.environment_id).letters} persons={received.frame.data.persons} />
      )}
      {isShown && <Vitals vitals={received.frame.data.metadata.vitals} />}
    </article>
  )
}
