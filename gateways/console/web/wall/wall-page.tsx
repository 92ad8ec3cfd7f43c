/**
 * The wall: every room in large words, without controls, for a display that nobody touches. What it shows moves by a few pixels each
 * minute, so that nothing is burnt in.
 */
import type { Environment } from "../service/types.ts"
import { FloorPlan } from "../live/floor-plan.tsx"
import { PersonsList } from "../live/persons-list.tsx"
import { SourceMark } from "../live/source-mark.tsx"
import { liveScene } from "../live/live-scene.ts"
import { liveSummary } from "../live/live-summary.ts"
import { connection } from "../service/pose-socket.ts"
import { openAlerts } from "../state/alerts.ts"
import { nowMs, timeOfDayMs } from "../state/clock.ts"
import { environments, environmentsFault, newest, roomOf } from "../state/rooms.ts"
import { minuteText } from "../state/time-text.ts"

const sourceWords = { live: "live", replay: "replayed", simulated: "simulated" } as const
const shiftMs = 60_000
/** Positions between which the picture moves; `main.css` has the pixels of each. */
const shifts = 4

const WallRoom = ({ environment }: { readonly environment: Environment }) => {
  const received = newest.value.get(environment.environment_id) ?? null
  const summary = liveSummary(environment.environment_id, false)
  const source = received?.frame.data.metadata.provenance.source ?? environment.origin.source
  return (
    <article class={`room wall-room source-${source} state-${summary.state}`}>
      <header>
        <h2>{environment.name}</h2>
        {source !== "live" && <span class={`chip chip-${source}`}>{sourceWords[source]}</span>}
      </header>
      <p class="sentence">{summary.sentence}</p>
      {summary.reason !== null && <p class="reason">{summary.reason}</p>}
      {received !== null && summary.state === "persons" && (
        <PersonsList letters={roomOf(environment.environment_id).letters} persons={received.frame.data.persons} />
      )}
      {environment.geometry !== null && (
        <div class="views wall-view">
          <FloorPlan
            environment={environment}
            geometry={environment.geometry}
            sceneAt={liveScene(environment.environment_id)}
          />
          <SourceMark source={source} />
        </div>
      )}
    </article>
  )
}

const faultText = (isLost: boolean): string => {
  if (isLost) return "No connection to the service. What is shown is old."
  return environmentsFault.value === null ? "" : `The rooms could not be read. ${environmentsFault.value}`
}

export const WallPage = () => {
  const alerts = openAlerts.value.length
  const isLost = connection.value.state !== "open"
  return (
    <main class={`wall shift-${Math.floor(nowMs.value / shiftMs) % shifts} ${isLost ? "disconnected" : ""}`}>
      <h1 class="unseen">wavepose</h1>
      <p class="wall-top">
        <time>{minuteText(timeOfDayMs.value)}</time>
        <span role="status">{faultText(isLost)}</span>
      </p>
      {alerts > 0 && (
        <p class="alert-banner" role="alert">{alerts === 1 ? "One alert is open" : `${alerts} alerts are open`}</p>
      )}
      <div class="wall-rooms">
        {environments.value?.map((environment) => (
          <WallRoom key={environment.environment_id} environment={environment} />
        ))}
      </div>
    </main>
  )
}
