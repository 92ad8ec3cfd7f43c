/** The summary of a room now. */
import { connection } from "../service/pose-socket.ts"
import { nowMs } from "../state/clock.ts"
import { roomSummary } from "../state/room-summary.ts"
import { newest } from "../state/rooms.ts"

export const liveSummary = (environmentId: string, hasHealthPage: boolean) =>
  roomSummary(newest.value.get(environmentId) ?? null, nowMs.value, {
    isConnected: connection.value.state === "open",
    hasHealthPage,
  })
