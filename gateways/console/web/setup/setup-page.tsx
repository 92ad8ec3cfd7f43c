/** The set-up: each active room with its boards and its calibration. */
import { environments } from "../state/rooms.ts"
import { session } from "../service/session.ts"
import type { Environment } from "../service/types.ts"
import { FloorPlan } from "../live/floor-plan.tsx"
import { liveScene } from "../live/live-scene.ts"
import { CalibrationPanel } from "./calibration-panel.tsx"

const sourceNotes = {
  simulated: "Simulated: the calibration is of the simulated room.",
  replay: "Replay: calibrate only while an empty recording is played.",
  live: null,
} as const

const Room = ({ environment }: { readonly environment: Environment }) => {
  const note = sourceNotes[environment.origin.source]
  return (
    <article class="room" aria-labelledby={`setup-${environment.environment_id}`}>
      <h2 id={`setup-${environment.environment_id}`}>{environment.name}</h2>
      {note !== null && <p class="reason">{note}</p>}
      {environment.geometry === null
        ? (
          <p class="reason">
            Positions are not known. Presence, motion and breathing work; locations and poses need positions.
          </p>
        )
        : (
          <FloorPlan
            environment={environment}
            geometry={environment.geometry}
            sceneAt={liveScene(environment.environment_id)}
          />
        )}
      <CalibrationPanel environmentId={environment.environment_id} />
    </article>
  )
}

export const SetupPage = () => {
  const who = session.value
  if (who.state === "signed-in" && who.role === "viewer") {
    return <p class="notice">This account may only look. Sign in as an operator to set rooms up.</p>
  }
  const list = environments.value ?? []
  return list.length === 0
    ? (
      <p class="notice">
        No room is enrolled. Start the service with a site file:{" "}
        <code>npm start -- --source none --site site.json</code>.
      </p>
    )
    : <div class="rooms">{list.map((one) => <Room key={one.environment_id} environment={one} />)}</div>
}
