/** Announces changes of the rooms to screen readers. */
import { useMemo } from "preact/hooks"
import { connection } from "../service/pose-socket.ts"
import type { Environment } from "../service/types.ts"
import { nowMs } from "../state/clock.ts"
import { newest } from "../state/rooms.ts"
import { makeAnnouncer, type Said } from "./announcer.ts"
import { liveSummary } from "./live-summary.ts"

const saidOf = ({ environment_id: environmentId, name }: Environment): readonly [string, Said] => {
  const { sentence, state } = liveSummary(environmentId, false)
  const persons = newest.value.get(environmentId)?.frame.data.persons.length ?? 0
  return [environmentId, { name, sentence, kind: `${state} ${persons}` }]
}

export const Announcement = ({ list }: { readonly list: ReadonlyArray<Environment> }) => {
  const announcer = useMemo(makeAnnouncer, [])
  // Without a connection nothing is known of the rooms, and the banner says so.
  const rooms = connection.value.state === "open" ? new Map(list.map(saidOf)) : null
  return <p class="unseen" role="status">{announcer(rooms, nowMs.value)}</p>
}
