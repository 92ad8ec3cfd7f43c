/** The live page: a card for each active environment, or what to do when there is none. */
import { findingsFault, useFindings } from "../state/findings.ts"
import { InactiveRooms } from "../shell/inactive-rooms.tsx"
import { environments, environmentsFault, inactiveRooms, loadEnvironments } from "../state/rooms.ts"
import { Announcement } from "./announcement.tsx"
import { RoomCard } from "./room-card.tsx"

const NoSite = () => (
  <section class="notice">
    <h2>{inactiveRooms.value.length === 0 ? "No room is set up" : "No room is active"}</h2>
    <InactiveRooms />
    <p>The service runs and waits for a source. To see it work, start it with the simulated home:</p>
    <pre>npm start</pre>
    <p>
      To connect boards, name a room in the <a href="#/setup">set-up</a>{" "}
      and adopt the boards that it lists. To look at a capture: <code>npm start -- --replay FILE</code>.
    </p>
  </section>
)

/** Rooms change seldom enough for this, and an account has a thousand requests an hour. */
const findingsRefreshMs = 60_000

export const LivePage = () => {
  useFindings(findingsRefreshMs)
  const list = environments.value
  if (list === null) {
    return environmentsFault.value === null
      ? <p class="notice" role="status">Loading the rooms…</p>
      : (
        <section class="notice" role="alert">
          <p>{environmentsFault.value}</p>
          <button type="button" onClick={() => void loadEnvironments()}>Try again</button>
        </section>
      )
  }
  if (list.length === 0) return <NoSite />
  return (
    <>
      {findingsFault.value !== null && (
        <p class="fault" role="status">{`The problems of the rooms could not be read. ${findingsFault.value}`}</p>
      )}
      <Announcement list={list} />
      <div class="rooms">
        {list.map((environment) => <RoomCard key={environment.environment_id} environment={environment} />)}
      </div>
    </>
  )
}
