/** Reports over a period: occupancy, activity, visitors, security. Each figure is stored data; a null says why. */
import { dateOf, type HistoryRange } from "../history/history-range.ts"
import type { Environment } from "../service/types.ts"
import { InactiveRooms } from "../shell/inactive-rooms.tsx"
import { page } from "../shell/navigation.ts"
import { useResource } from "../state/resource.ts"
import { environments } from "../state/rooms.ts"
import { minuteText } from "../state/time-text.ts"
import { BarChart } from "./bar-chart.tsx"
import { factGroups, type JsonObject } from "./report-facts.ts"
import {
  type Asked,
  askedOf,
  intervals,
  lastPeriods,
  occupancyRange,
  type Period,
  periodQuery,
  periods,
  rangeText,
} from "./report-range.ts"

const kinds = { occupancy: "Occupancy", healthcare: "Activity", retail: "Visitors", security: "Security" } as const
type Kind = keyof typeof kinds

interface View extends Asked {
  readonly kind: Kind
  /** Empty: all rooms. */
  readonly room: string
}

const viewOf = (query: URLSearchParams): View => {
  const kind = query.get("kind") ?? ""
  return {
    ...askedOf(query),
    kind: Object.hasOwn(kinds, kind) ? kind as Kind : "occupancy",
    room: query.get("room") ?? "",
  }
}

const show = ({ date, ...view }: View): void => {
  location.hash = `#/reports?${new URLSearchParams({ ...view, ...(date === null ? {} : { date }) })}`
}

interface Report extends JsonObject {
  readonly provenance: {
    readonly frames: number
    readonly live: number | null
    readonly replay: number | null
    readonly simulated: number | null
  }
  readonly reasons: Readonly<Record<string, string>>
}

const percent = (share: number): string => `${Math.round(100 * share)} %`

/** From how many frames a report is made, of which sources, and whether all of them count persons. */
const sourcesText = ({ provenance: { frames, live, replay, simulated }, reasons }: Report): string => {
  if (frames === 0) return "No frame is stored in this period."
  const sources = [["live", live], ["replayed", replay], ["simulated", simulated]] as const
  const shares = sources.flatMap(([name, share]) => share === null || share === 0 ? [] : [`${percent(share)} ${name}`])
  return [`From ${frames.toLocaleString()} frames: ${shares.join(", ")}.`, reasons["provenance.frames"] ?? ""].join(" ")
}

const Facts = ({ members, path = "", report }: {
  readonly report: Report
  readonly members: JsonObject
  readonly path?: string
}) => (
  <div class="panels">
    {factGroups(members, report.reasons, path).map(({ facts, title }) => (
      <section key={title} class="panel">
        <h3>{title}</h3>
        <dl class="measures">
          {facts.map(({ reason, text, title }) => (
            <div key={title} class="measure">
              <dt>{title}</dt>
              <dd>
                <b>{text ?? "–"}</b> {text === null && <small>{reason ?? "not known"}</small>}
              </dd>
            </div>
          ))}
        </dl>
      </section>
    ))}
  </div>
)

interface Occupancy extends Report {
  readonly summary: JsonObject
  readonly time_series: ReadonlyArray<{ readonly timestamp: string; readonly occupancy: number | null }>
  readonly distribution: Readonly<Record<string, number | null>>
}

/** Buckets are 5 minutes in an hour, else hours; a longer period names the day as well. */
const bucketTitle = (timestamp: string, period: Period): string => {
  const at = new Date(timestamp)
  const time = minuteText(timestamp)
  return period === "hour" || period === "day"
    ? time
    : `${at.toLocaleDateString([], { day: "numeric", month: "short" })} ${time}`
}

interface OfRoom {
  readonly environment_id?: string
}

const OccupancyReport = ({ ofRoom, period, range }: {
  readonly ofRoom: OfRoom
  readonly period: Period
  readonly range: HistoryRange
}) => {
  const query = new URLSearchParams({
    start_time: new Date(range.fromMs).toISOString(),
    end_time: new Date(range.toMs).toISOString(),
    interval: intervals[period],
    ...ofRoom,
  })
  const { fault, value } = useResource<Occupancy>(`/analytics/occupancy?${query}`)
  if (value === null) return <p class="notice" role="status">{fault ?? "Making the report…"}</p>
  return (
    <>
      <p class="reason">{`${rangeText(range, "", Date.now())} ${sourcesText(value)}`}</p>
      <section class="panel">
        <BarChart
          title="Persons"
          unit="mean of each interval"
          bars={value.time_series.map(({ occupancy, timestamp }) => ({
            title: bucketTitle(timestamp, period),
            value: occupancy,
          }))}
        />
      </section>
      <section class="panel">
        <BarChart
          title="Number of persons"
          unit="% of the time"
          bars={Object.entries(value.distribution).map(([name, value]) => ({
            title: name.replace("4_plus", "4 or more").replaceAll("_", " "),
            value,
          }))}
        />
      </section>
      <Facts report={value} members={{ summary: value.summary }} />
    </>
  )
}

interface PeriodReport extends Report {
  readonly metrics: JsonObject
  readonly period: Period
  readonly time_period: { readonly start: string; readonly end: string }
}

const periodText = ({ period, time_period: { end, start } }: PeriodReport): string => {
  const range = { fromMs: Date.parse(start), toMs: Date.parse(end) }
  return rangeText(range, period === "hour" ? "" : `a ${period} of UTC`, Date.now())
}

const activityBars = ({ metrics }: PeriodReport) =>
  Object.entries((metrics["activity_summary"] ?? {}) as Readonly<Record<string, number | null>>)
    .map(([name, value]) => ({ title: name.replace("_minutes", ""), value }))

const PeriodReportView = ({ kind, query }: { readonly kind: Kind; readonly query: URLSearchParams }) => {
  const { fault, value } = useResource<PeriodReport>(`/analytics/${kind}?${query}`)
  if (value === null) return <p class="notice" role="status">{fault ?? "Making the report…"}</p>
  return (
    <>
      <p class="reason">{`${periodText(value)} ${sourcesText(value)}`}</p>
      {kind === "healthcare" && (
        <section class="panel">
          <BarChart title="Activity" unit="person-minutes" bars={activityBars(value)} />
        </section>
      )}
      <Facts report={value} members={value.metrics} path="metrics." />
    </>
  )
}

const Tabs = <Id extends string>({ chosen, label, onChoose, titles }: {
  readonly label: string
  readonly titles: Readonly<Record<Id, string>>
  readonly chosen: Id
  readonly onChoose: (id: Id) => void
}) => (
  <div class="actions" role="group" aria-label={label}>
    {(Object.entries(titles) as Array<[Id, string]>).map(([id, title]) => (
      <button
        key={id}
        type="button"
        class={id === chosen ? undefined : "quiet"}
        aria-pressed={id === chosen}
        onClick={() => onChoose(id)}
      >
        {title}
      </button>
    ))}
  </div>
)

const RoomChoice = ({ list, view }: { readonly list: ReadonlyArray<Environment>; readonly view: View }) => (
  <label>
    Room
    <select value={view.room} onChange={({ currentTarget }) => show({ ...view, room: currentTarget.value })}>
      <option value="">All rooms</option>
      {list.map(({ environment_id, name }) => <option key={environment_id} value={environment_id}>{name}</option>)}
    </select>
  </label>
)

const DateChoice = ({ view }: { readonly view: View }) => (
  <label>
    Day
    <input
      type="date"
      value={view.date ?? ""}
      max={dateOf(Date.now())}
      onChange={({ currentTarget }) => show({ ...view, date: currentTarget.value === "" ? null : currentTarget.value })}
    />
  </label>
)

export const ReportsPage = () => {
  const view = viewOf(page.value.query)
  const { date, kind, period, room } = view
  const ofRoom: OfRoom = room === "" ? {} : { environment_id: room }
  const key = `${kind} ${period} ${date} ${room}`
  return (
    <section>
      <h2>Reports</h2>
      <div class="actions">
        <Tabs label="Report" titles={kinds} chosen={kind} onChoose={(kind) => show({ ...view, kind })} />
      </div>
      <div class="actions">
        <RoomChoice list={environments.value ?? []} view={view} />
        <Tabs
          label="Period"
          titles={kind === "occupancy" && date === null ? lastPeriods : periods}
          chosen={period}
          onChoose={(period) => show({ ...view, period })}
        />
        <DateChoice view={view} />
        {date !== null && (
          <button type="button" class="quiet" onClick={() => show({ ...view, date: null })}>
            Now
          </button>
        )}
      </div>
      <InactiveRooms />
      {kind === "occupancy"
        ? <OccupancyReport key={key} period={period} range={occupancyRange(view, Date.now())} ofRoom={ofRoom} />
        : <PeriodReportView key={key} kind={kind} query={new URLSearchParams({ ...periodQuery(view), ...ofRoom })} />}
    </section>
  )
}
