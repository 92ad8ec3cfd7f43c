/** Says which rooms a page leaves out, because their source does not run. */
import { inactiveRooms } from "../state/rooms.ts"

export const InactiveRooms = () => {
  const list = inactiveRooms.value
  if (list.length === 0) return null
  return (
    <p class="reason">
      {list.length === 1 ? "One room is not active: " : `${list.length} rooms are not active: `}
      {list.map(({ environment_id, name }, index) => (
        <span key={environment_id}>
          {index > 0 && ", "}
          <a href={`#/setup?room=${encodeURIComponent(environment_id)}`}>{name}</a>
        </span>
      ))}
      {". The service was started with another source."}
    </p>
  )
}
