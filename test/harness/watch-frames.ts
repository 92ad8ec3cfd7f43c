/** The frames of an environment as a WebSocket client of one node sees them. */
import { WebSocket } from "ws"
import type { TestService } from "./service.ts"

interface Update {
  readonly type: string
  readonly data: { readonly frame_id: number }
}

/** Ids of the frames, and when each arrived, milliseconds. */
export const watchFrames = async (service: TestService, token: string, environmentId: string) => {
  const socket = new WebSocket(`${service.pose.replace("http", "ws")}/ws/pose?token=${token}`)
  const frameIds: Array<number> = []
  const arrivedMs: Array<number> = []
  socket.on("message", (bytes) => {
    const message = JSON.parse(String(bytes)) as Update
    if (message.type !== "pose_update") return
    frameIds.push(message.data.frame_id)
    arrivedMs.push(performance.now())
  })
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject))
  socket.send(
    JSON.stringify({ type: "subscribe", channel: "pose_updates", filters: { environment_id: environmentId } }),
  )
  return { frameIds, arrivedMs, close: () => socket.terminate() }
}
