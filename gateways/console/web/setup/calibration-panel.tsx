/** Calibrates one room: starts a side after a countdown in which the user can leave, and shows the progress of each board. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { authorised } from "../service/session.ts"
import { timeOfDayMs } from "../state/clock.ts"
import { usePolling } from "../state/polling.ts"
import { useReading } from "../state/use-reading.ts"
import { useAttempt } from "../state/use-attempt.ts"
import { type BoardCalibration, calibrationStep, countdownAt, isSilent } from "./calibration.ts"

const leaveMs = 10_000
const runningMs = 1_000
/** An account has 1,000 requests an hour, which all parts of a page share. */
const idleMs = 20_000

const Board = ({ board }: { readonly board: BoardCalibration }) => (
  <li>
    <span>{board.router_id}</span>
    {board.running === null || isSilent(board)
      ? <span class="reason">{`${board.calibrated_links} of ${board.links} links`}</span>
      : <progress max={1} value={board.running.progress} aria-label={`Progress of ${board.router_id}`} />}
  </li>
)

interface Pending {
  readonly room: "empty" | "occupied"
  readonly atMs: number
}

const beginWords = {
  empty: "Leave the room: its calibration begins in ten seconds.",
  occupied: "Be in the room: its calibration begins in ten seconds.",
} as const

const missed = () =>
  Promise.reject(
    new Error(
      "This page stood still when the calibration should have begun, so nothing was measured. Begin again, and keep the screen on.",
    ),
  )

export const CalibrationPanel = ({ environmentId }: { readonly environmentId: string }) => {
  const pending = useSignal<Pending | null>(null)
  const query = `?environment_id=${encodeURIComponent(environmentId)}`
  const reading = useReading(
    () => authorised<{ readonly routers: ReadonlyArray<BoardCalibration> }>(`/system/calibration${query}`),
    environmentId,
  )
  const boards = reading.value.value?.routers ?? []
  const step = calibrationStep(boards)
  const isRunning = pending.value !== null || step.step === "running"
  usePolling(reading.load, isRunning ? runningMs : idleMs, `${environmentId} ${isRunning}`)
  const action = useAttempt()
  const start = (room: Pending["room"]) =>
    action.run(async () => {
      pending.value = null
      await authorised("/system/calibration", { method: "POST", body: { environment_id: environmentId, room } })
      await reading.load()
    })
  const waiting = pending.value
  const countdown = waiting === null ? null : countdownAt(waiting.atMs, timeOfDayMs.value)
  useEffect(() => {
    if (waiting === null) return
    if (countdown === "due") void start(waiting.room)
    if (countdown === "missed") {
      pending.value = null
      void action.run(missed)
    }
  }, [waiting, countdown])
  const begin = (room: Pending["room"]) => () => pending.value = { room, atMs: timeOfDayMs.value + leaveMs }
  return (
    <div class="calibration">
      <h3>Calibration</h3>
      {action.fault !== null && <p class="fault" role="alert">{action.fault}</p>}
      {reading.fault.value !== null && <p class="fault" role="alert">{reading.fault.value}</p>}
      <p role="status">{waiting === null ? step.advice : beginWords[waiting.room]}</p>
      <ul class="boards">{boards.map((board) => <Board key={board.router_id} board={board} />)}</ul>
      {step.step !== "running" && waiting === null && (
        <p class="actions">
          <button type="button" onClick={begin("empty")}>Calibrate the empty room</button>
          {step.step !== "none" && (
            <button type="button" class="quiet" onClick={begin("occupied")}>Calibrate it occupied</button>
          )}
        </p>
      )}
      {waiting !== null && (
        <p class="actions">
          <b aria-hidden="true">{typeof countdown === "number" ? `${countdown} s` : "Beginning…"}</b>
          <button type="button" class="quiet" onClick={() => pending.value = null}>Cancel</button>
        </p>
      )}
    </div>
  )
}
