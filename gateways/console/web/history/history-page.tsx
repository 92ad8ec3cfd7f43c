/** The history page: a room and a range, its strip, and the frames of one minute. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Environment, RoomLabel } from "../service/types.ts"
import { InactiveRooms } from "../shell/inactive-rooms.tsx"
import { page } from "../shell/navigation.ts"
import { environments, environmentsFault } from "../state/rooms.ts"
import { useAttempt } from "../state/use-attempt.ts"
import type { Bucket } from "./buckets.ts"
import { download } from "./download.ts"
import { csvOf, jsonOf } from "./export-text.ts"
import type { Marks } from "./history-drawing.ts"
import { HistoryStrip } from "./history-strip.tsx"
import {
  dateOf,
  hashOf,
  type HistoryRange,
  type HistoryView,
  hourAround,
  rangeOf,
  spans,
  viewOf,
} from "./history-range.ts"
import { LabelPanel } from "./label-panel.tsx"
import { loadBuckets, loadLabels } from "./load-history.ts"
import { MinutePlayer } from "./minute-player.tsx"

const spanTitles = { hour: "Last hour", "six-hours": "6 hours", day: "24 hours", date: "Date" } as const

const show = (view: HistoryView): void => {
  location.hash = hashOf(view)
}

const Choice = ({ list, view }: { readonly list: ReadonlyArray<Environment>; readonly view: HistoryView }) => (
  <form class="actions" onSubmit={(event) => event.preventDefault()}>
    <label>
      Room
      <select
        value={view.environmentId ?? undefined}
        onChange={({ currentTarget }) => show({ ...view, environmentId: currentTarget.value })}
      >
        {list.map(({ environment_id, name }) => <option key={environment_id} value={environment_id}>{name}</option>)}
      </select>
    </label>
    <div class="actions" role="group" aria-label="Range">
      {spans.map((span) => (
        <button
          key={span}
          type="button"
          class={view.span === span ? undefined : "quiet"}
          aria-pressed={view.span === span}
          onClick={() => show({ ...view, span, endMs: null })}
        >
          {span === "hour" && view.endMs !== null ? "Hour" : spanTitles[span]}
        </button>
      ))}
    </div>
    {view.span === "date" && (
      <label>
        Day
        <input
          type="date"
          value={view.date ?? dateOf(Date.now())}
          max={dateOf(Date.now())}
          onChange={({ currentTarget }) =>
            show({ ...view, date: currentTarget.value === "" ? null : currentTarget.value })}
        />
      </label>
    )}
  </form>
)

/** The index of the newest bucket with frames, else of the last one. */
const newestOf = (buckets: ReadonlyArray<Bucket>): number => {
  const index = buckets.findLastIndex(({ recorded }) => recorded !== null)
  return index < 0 ? buckets.length - 1 : index
}

const Exports = ({ buckets, environmentId }: {
  readonly buckets: ReadonlyArray<Bucket>
  readonly environmentId: string
}) => {
  const name = `${environmentId}-${new Date(buckets[0]!.startMs).toISOString().slice(0, 16).replace(":", "")}`
  return (
    <div class="actions">
      <button
        type="button"
        class="quiet"
        onClick={() => download(`${name}.csv`, "text/csv", csvOf(environmentId, buckets))}
      >
        Export CSV
      </button>
      <button
        type="button"
        class="quiet"
        onClick={() => download(`${name}.json`, "application/json", jsonOf(environmentId, buckets))}
      >
        Export JSON
      </button>
    </div>
  )
}

const Loaded = ({ buckets, environment, onUpdate, range, view }: {
  readonly buckets: ReadonlyArray<Bucket>
  readonly environment: Environment
  readonly range: HistoryRange
  readonly view: HistoryView
  readonly onUpdate: () => void
}) => {
  const { environment_id: environmentId } = environment
  const selected = useSignal(newestOf(buckets))
  const span = useSignal<Marks["span"]>(null)
  const labels = useSignal<ReadonlyArray<RoomLabel>>([])
  const readLabels = async (): Promise<void> => {
    labels.value = await loadLabels(environmentId, range)
  }
  const reading = useAttempt()
  useEffect(() => void reading.run(readLabels), [])
  const bucket = buckets[selected.value]!
  const marked = span.value ?? { fromMs: bucket.startMs, toMs: bucket.endMs }
  const next = (): boolean => {
    const index = buckets.findIndex(({ recorded }, at) => at > selected.value && recorded !== null)
    if (index < 0) return false
    selected.value = index
    return true
  }
  return (
    <>
      <HistoryStrip
        picture={{
          buckets,
          labels: labels.value,
          hasPersons: environment.geometry !== null,
          marks: { selectedMs: bucket.startMs, span: span.value },
        }}
        selected={selected.value}
        onSelect={(index) => selected.value = index}
        onSpan={(marked) => span.value = marked}
      />
      {environment.geometry === null && (
        <p class="reason">This room has no positions, so its persons are not counted.</p>
      )}
      <div class="actions">
        {view.span !== "hour" && (
          <button
            type="button"
            onClick={() => show({ ...view, span: "hour", endMs: hourAround(bucket.startMs), date: null })}
          >
            Show this hour
          </button>
        )}
        <button type="button" class="quiet" onClick={onUpdate}>Update</button>
        <Exports buckets={buckets} environmentId={environmentId} />
      </div>
      {bucket.recorded !== null && <MinutePlayer environment={environment} startMs={bucket.startMs} onEnded={next} />}
      {reading.fault !== null && <p class="fault" role="alert">{`The labels could not be read. ${reading.fault}`}</p>}
      <LabelPanel
        key={`${marked.fromMs} ${marked.toMs}`}
        environmentId={environmentId}
        labels={labels.value}
        range={range}
        span={marked}
        onChange={readLabels}
      />
    </>
  )
}

type Read =
  | { readonly state: "loading" }
  | { readonly state: "failed"; readonly reason: string }
  | { readonly state: "loaded"; readonly buckets: ReadonlyArray<Bucket>; readonly range: HistoryRange }

const RoomHistory = ({ environment, view }: { readonly environment: Environment; readonly view: HistoryView }) => {
  const read = useSignal<Read>({ state: "loading" })
  const load = (): void => {
    read.value = { state: "loading" }
    const range = rangeOf(view, Date.now())
    loadBuckets(environment.environment_id, range).then(
      (buckets) => read.value = { state: "loaded", buckets, range },
      (cause: Error) => read.value = { state: "failed", reason: cause.message },
    )
  }
  useEffect(load, [])
  if (read.value.state === "loading") return <p class="notice" role="status">Loading the history…</p>
  if (read.value.state === "loaded") {
    const { buckets, range } = read.value
    return <Loaded buckets={buckets} environment={environment} range={range} view={view} onUpdate={load} />
  }
  return (
    <div class="notice" role="alert">
      <p>{read.value.reason}</p>
      <button type="button" onClick={load}>Try again</button>
    </div>
  )
}

export const HistoryPage = () => {
  const asked = viewOf(page.value.query)
  const list = environments.value
  const environment = list?.find(({ environment_id }) => environment_id === asked.environmentId) ?? list?.[0]
  const view = { ...asked, environmentId: environment?.environment_id ?? null }
  return (
    <section>
      <h2>History</h2>
      {list === null && <p class="notice" role="status">{environmentsFault.value ?? "Loading the rooms…"}</p>}
      {list !== null && environment === undefined && <p class="notice">No room is active, so no history is shown.</p>}
      <InactiveRooms />
      {list !== null && environment !== undefined && (
        <>
          <Choice list={list} view={view} />
          <RoomHistory key={hashOf(view)} environment={environment} view={view} />
        </>
      )}
    </section>
  )
}
