/** The set-up: choose or create a room, then its plan, its boards and its calibration. */
import { isAtLeast } from "../service/session.ts"
import { page } from "../shell/navigation.ts"
import { allRooms, environmentsFault } from "../state/rooms.ts"
import { NewRoom } from "./new-room.tsx"
import { RoomSetup } from "./room-setup.tsx"

export const SetupPage = () => {
  if (!isAtLeast("operator")) {
    return <p class="notice">This account may only look. Sign in as an operator to set rooms up.</p>
  }
  const list = allRooms.value
  const asked = page.value.query.get("room")
  const chosen = list?.find(({ environment_id }) => environment_id === asked) ??
    list?.find(({ active }) => active) ?? list?.[0]
  return (
    <section>
      <h2 class="unseen">Set-up</h2>
      <div class="room-tabs">
        <nav aria-label="Rooms">
          {list?.map(({ active, environment_id, name }) => (
            <a
              key={environment_id}
              href={`#/setup?room=${encodeURIComponent(environment_id)}`}
              aria-current={environment_id === chosen?.environment_id ? "page" : undefined}
            >
              {active ? name : `${name} (not active)`}
            </a>
          ))}
        </nav>
        <NewRoom />
      </div>
      {list === null && <p class="notice" role="status">{environmentsFault.value ?? "Loading the rooms…"}</p>}
      {list !== null && chosen === undefined && (
        <p class="notice">No room is set up. Name the first one: then draw it, add boards, and calibrate.</p>
      )}
      {chosen !== undefined && <RoomSetup key={chosen.environment_id} environment={chosen} />}
    </section>
  )
}
