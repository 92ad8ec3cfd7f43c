/**
 * The label tool: says what was true in a span of time, shows how presence agreed, and saves the labels of a recording for the scoreboard.
 */
import { type Signal, useSignal } from "@preact/signals"
import { authorised, authorisedText, isAtLeast } from "../service/session.ts"
import type { RoomLabel } from "../service/types.ts"
import { secondText } from "../state/time-text.ts"
import { download } from "./download.ts"
import type { HistoryRange } from "./history-range.ts"
import { adviceOf, agreementText, inputTimeOf, type LabelState, labelWords, msOfInputTime } from "./labels.ts"

const states = Object.keys(labelWords) as ReadonlyArray<LabelState>

const timesText = ({ end_time, start_time }: RoomLabel): string => {
  return `${secondText(start_time)} to ${secondText(end_time)}`
}

const Row = ({ label, onDelete }: { readonly label: RoomLabel; readonly onDelete: () => void }) => {
  const advice = adviceOf(label)
  return (
    <li class={`label label-${label.state}`}>
      <b>{labelWords[label.state]}</b>
      <span>{timesText(label)}</span>
      <span class="reason">{agreementText(label)}</span>
      {isAtLeast("operator") && (
        <button type="button" class="quiet" aria-label={`Delete the label ${timesText(label)}`} onClick={onDelete}>
          Delete
        </button>
      )}
      {advice !== null && (
        <p class="advice">
          {advice} <a href={`#/setup?room=${encodeURIComponent(label.environment_id)}`}>To the calibration</a>
        </p>
      )}
    </li>
  )
}

/** Saves the labels of one recording as the file that the scoreboard reads. */
const Scoreboard = ({ attempt, environmentId, range }: {
  readonly environmentId: string
  readonly range: HistoryRange
  readonly attempt: (work: () => Promise<void>) => Promise<void>
}) => {
  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    const file = String(fields.get("file"))
    const startMs = msOfInputTime(String(fields.get("start"))) ?? range.fromMs
    const query = new URLSearchParams({
      environment_id: environmentId,
      file,
      start_time: new Date(startMs).toISOString(),
    })
    await attempt(async () => download("labels.csv", "text/csv", await authorisedText(`/labels/export?${query}`)))
  }
  return (
    <details>
      <summary>Labels of a recording, for the scoreboard</summary>
      <form class="actions" onSubmit={(event) => void save(event)}>
        <label>
          File of the recording
          <input name="file" required pattern='[^,"]{1,300}' placeholder="kitchen/visit.csv" />
        </label>
        <label>
          Its first packet
          <input name="start" type="datetime-local" step={1} required value={inputTimeOf(range.fromMs)} />
        </label>
        <button type="submit" class="quiet">Save labels.csv</button>
      </form>
      <p class="reason">
        Then <code>npm run eval -- --recordings FOLDER --labels labels.csv</code> judges presence on the recording.
      </p>
    </details>
  )
}

const TimeField = ({ name, time }: { readonly name: string; readonly time: Signal<number> }) => (
  <label>
    {name}
    <input
      type="datetime-local"
      step={1}
      value={inputTimeOf(time.value)}
      onChange={({ currentTarget }) => time.value = msOfInputTime(currentTarget.value) ?? time.value}
    />
  </label>
)

export const LabelPanel = ({ environmentId, labels, onChange, range, span }: {
  readonly environmentId: string
  readonly labels: ReadonlyArray<RoomLabel>
  readonly range: HistoryRange
  /** The marked span, or the selected minute. */
  readonly span: HistoryRange
  readonly onChange: () => Promise<void>
}) => {
  const fault = useSignal<string | null>(null)
  const from = useSignal(span.fromMs)
  const to = useSignal(span.toMs)
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
      fault.value = null
    } catch (cause) {
      fault.value = (cause as Error).message
    }
  }
  const add = (state: LabelState) =>
    attempt(async () => {
      const body = {
        environment_id: environmentId,
        start_time: new Date(from.value).toISOString(),
        end_time: new Date(to.value).toISOString(),
        state,
      }
      await authorised("/labels", { method: "POST", body })
      await onChange()
    })
  const remove = (labelId: string) =>
    attempt(async () => {
      await authorised(`/labels/${labelId}`, { method: "DELETE" })
      await onChange()
    })
  return (
    <section class="panel labels" aria-labelledby="labels-title">
      <h3 id="labels-title">What was true</h3>
      <p class="reason">
        Drag over the strip, or type the times. Labels show how often presence is right in this room.
      </p>
      {fault.value !== null && <p class="fault" role="alert">{fault.value}</p>}
      {isAtLeast("operator") && (
        <div class="actions">
          <TimeField name="From" time={from} />
          <TimeField name="To" time={to} />
          {states.map((state) => (
            <button key={state} type="button" class="quiet" onClick={() => void add(state)}>{labelWords[state]}</button>
          ))}
        </div>
      )}
      {labels.length > 0 && (
        <ul class="label-list" aria-label="Labels">
          {labels.map((label) => (
            <Row
              key={label.label_id}
              label={label}
              onDelete={() => void remove(label.label_id)}
            />
          ))}
        </ul>
      )}
      <Scoreboard attempt={attempt} environmentId={environmentId} range={range} />
    </section>
  )
}
