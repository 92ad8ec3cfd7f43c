/** Rooms of a real cluster as the fault harness and the soak see them: their routers, a reader of each, and their history. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { setInterval } from "node:timers/promises"
import { WebSocket } from "ws"
import { batchOf } from "../../../deploy/cluster-simulation/batches.ts"
import type { CsiBatch } from "../../../core/formats/csi-batch.ts"
import { encodeCsiBatch } from "../../../protocols/grpc/csi-batch.ts"
import type { IngestAck } from "../../../protocols/grpc/ingest-ack.ts"
import type { HistoryFrame, SeenFrame } from "../../../sim/cluster/checker.ts"
import type { DiagnosticsBody } from "../../../protocols/pose-api/diagnostics.ts"
import { type Api, eventually, type TestService } from "../../harness/service.ts"

const hopMs = 100
/** Of the body that moves in a room; the static response is 10. */
const echoAmplitude = 4
/** Batches of a router that wait for their answer; a device drops further ones. */
const pendingMax = 20

export interface Room {
  readonly environmentId: string
  readonly frames: Array<SeenFrame>
  readonly arrivedMs: Array<number>
}

/** How routers send; `disorder`: each batch twice, and every other one after its successor. */
interface Disorder {
  disorder: boolean
}

/** Resolves after a hop. */
const afterHop = async (): Promise<void> => {
  for await (const _ of setInterval(hopMs)) return
}

/** Reads a room's frames, and continues after the newest when the connection ends. */
export const readRoom = (service: TestService, token: string, room: Room, isOver: () => boolean): Promise<void> =>
  new Promise((resolve, reject) => {
    const open = () => {
      const socket = new WebSocket(`${service.pose.replace("http", "ws")}/ws/pose?token=${token}`)
      const afterFrameId = room.frames.at(-1)?.frameId
      socket.on("error", reject)
      socket.on("close", () => isOver() ? undefined : void afterHop().then(open))
      socket.on("message", (bytes) => {
        const message = JSON.parse(String(bytes))
        if (message.type !== "pose_update") return
        const timestampMs = Date.parse(message.timestamp)
        room.frames.push({ frameId: message.data.frame_id, timestampMs, digest: String(timestampMs) })
        room.arrivedMs.push(performance.now())
      })
      socket.once("open", () => {
        const filters = {
          environment_id: room.environmentId,
          ...(afterFrameId === undefined ? {} : { after_frame_id: afterFrameId }),
        }
        socket.send(JSON.stringify({ type: "subscribe", channel: "pose_updates", filters }))
        resolve()
      })
    }
    open()
  })

interface SendOptions {
  readonly sending?: Disorder
  readonly packetsPerHop?: number
  /** Whether somebody walks in the room. */
  readonly isMoving?: boolean
  /** Called with the answer to each batch; null: there was none. */
  readonly answered?: (hop: number, ack: IngestAck | null) => void
}

/** Wavelengths of the path by a body that walks to and fro: as slow as a body when it turns. */
const pathAt = (seconds: number): number => 1.7 * Math.sin(2 * seconds) + 0.9 * Math.sin(0.83 * seconds)

/** Adds the echo of a body to a batch. */
const move = ({ csi, frameCount, timestampsUs }: CsiBatch): void => {
  const values = csi.length / frameCount
  for (let i = 0; i < csi.length; i += 2) {
    const path = pathAt((timestampsUs[Math.floor(i / values)]! / 1e6) % 100_000)
    const phase = 2 * Math.PI * (path + (i % values) / values)
    csi[i] = csi[i]! + echoAmplitude * Math.cos(phase)
    csi[i + 1] = echoAmplitude * Math.sin(phase)
  }
}

/**
 * Sends the hops of a router as they end. Batches wait in the client while no node takes them, and beyond `pendingMax` they are dropped.
 *
 * @param deliver takes a batch
 */
export const sendRouter = async (
  routerId: string,
  deliver: (bytes: Uint8Array) => Promise<IngestAck | null>,
  isOver: () => boolean,
  { answered = () => {}, isMoving = false, packetsPerHop, sending = { disorder: false } }: SendOptions = {},
) => {
  let later: number | null = null
  let pending = 0
  const send = (hop: number) => {
    if (pending >= pendingMax) return
    pending++
    const batch = batchOf(routerId, hop, packetsPerHop)
    if (isMoving) move(batch)
    void deliver(encodeCsiBatch(batch))
      .then((ack) => answered(hop, ack))
      .finally(() => pending--)
  }
  let hop = Math.ceil(Date.now() / hopMs)
  for await (const _ of setInterval(hopMs)) {
    if (isOver()) return
    // A sender that is short of CPU leaves hops out, as a device does.
    hop = Math.max(hop + 1, Math.floor(Date.now() / hopMs))
    if (sending.disorder && later === null) {
      later = hop
      continue
    }
    send(hop)
    if (sending.disorder) send(hop)
    if (later !== null) send(later)
    later = null
  }
}

/** The frames of these rooms in the database. */
export const historyOf = (
  url: string,
  rooms: ReadonlyArray<string>,
): Promise<ReadonlyMap<string, ReadonlyArray<HistoryFrame>>> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const rows = yield* sql<{ room: string; id: number; ms: number }>`
        SELECT environment_id AS room, frame_id::float8 AS id, (extract(epoch FROM ts) * 1000)::float8 AS ms
        FROM pose_frames ORDER BY frame_id`
      return new Map(rooms.map((environmentId) => [
        environmentId,
        rows.filter(({ room }) => room === environmentId)
          .map(({ id, ms }) => ({ frameId: id, timestampMs: ms, digest: String(ms), writer: "", owner: null })),
      ]))
    }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url) }))),
  )

type Diagnosed = DiagnosticsBody["environments"][number]

/** The hops that each of these rooms has shed since its activation, once all of them answer. */
export const shedHopsOf = async (
  { get }: Pick<Api, "get">,
  rooms: ReadonlyArray<string>,
  timeoutMs: number,
): Promise<ReadonlyMap<string, number>> => {
  const found = await eventually(
    async () => {
      const { body } = await get("/system/diagnostics?form=bare")
      return (body.environments as ReadonlyArray<Diagnosed> ?? []).filter((one) => rooms.includes(one.environment_id))
    },
    (found) => found.length === rooms.length && found.every(({ pace }) => pace !== null),
    timeoutMs,
  )
  return new Map(found.map(({ environment_id, pace }) => [environment_id, pace!.shed_hops]))
}
