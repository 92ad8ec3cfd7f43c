/** Reports over a period: occupancy, activity, visitors, security. Each figure is stored data; a null says why. */
import { minuteMs } from "../history/history-range.ts"
import type { Environment } from "../service/types.ts"
import { InactiveRooms } from "../shell/inactive-rooms.tsx"
import { page } from "../shell/navigation.ts"
import { useResource } from "../state/resource.ts"
import { environments } from "../state/rooms.ts"
import { minuteText } from "../state/time-text.ts"
import { BarChart } from "./bar-chart.tsx"
import { factGroups, type JsonObject } from "./report-facts.ts"

const kinds = { occupancy: "Occupancy", healthcare: "Activity", retail: "Visitors", security: "Security" } as const
type Kind = keyof typeof kinds
const periods = { hour: "Hour", day: "Day", week: "Week", month: "Month" } as const
type Period = keyof typeof periods

const periodMs = { hour: 3_600_000, day: 86_400_000, week: 7 * 86_400_000, month: 30 * 86_400_000 } as const

interface View {
  readonly kind: Kind
  readonly period: Period
  /** Empty: all rooms. */
  readonly room: string
}

const viewOf = (query: URLSearchParams): View => {
  const [kind, period] = [query.get("kind") ?? "", query.get("period") ?? ""]
  return {
    kind: kind in kinds ? kind as Kind : "occupancy",
    period: period in periods ? period as Period : "day",
    room: query.get("room") ?? "",
  }
}

const show = (view: View): void => {
  location.hash = `#/reports?${new URLSearchParams({ ...view })}`
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

const OccupancyReport = ({ period, query }: { readonly period: Period; readonly query: URLSearchParams }) => {
  const { fault, value } = useResource<Occupancy>(`/analytics/occupancy?${query}`)
  if (value === null) return <p class="notice" role="status">{fault ?? "Making the report…"}</p>
  return (
    <>
      <p class="reason">{sourcesText(value)}</p>
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
}

const activityBars = ({ metrics }: PeriodReport) =>
  Object.entries((metrics["activity_summary"] ?? {}) as Readonly<Record<string, number | null>>)
    .map(([name, value]) => ({ title: name.replace("_minutes", ""), value }))

const PeriodReportView = ({ kind, query }: { readonly kind: Kind; readonly query: URLSearchParams }) => {
  const { fault, value } = useResource<PeriodReport>(`/analytics/${kind}?${query}`)
  if (value === null) return <p class="notice" role="status">{fault ?? "Making the report…"}</p>
  return (
    <>
      <p class="reason">{sourcesText(value)}</p>
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

export const ReportsPage = () => {
  const view = viewOf(page.value.query)
  const { kind, period, room } = view
  // Whole minutes, so that a page that is drawn again asks for the same report.
  const toMs = Math.ceil(Date.now() / minuteMs) * minuteMs
  const ofRoom = room === "" ? {} : { environment_id: room }
  const range = new URLSearchParams({
    start_time: new Date(toMs - periodMs[period]).toISOString(),
    end_time: new Date(toMs).toISOString(),
    interval: period === "hour" ? "5min" : "1hour",
    ...ofRoom,
  })
  return (
    <section>
      <h2>Reports</h2>
      <div class="actions">
        <Tabs label="Report" titles={kinds} chosen={kind} onChoose={(kind) => show({ ...view, kind })} />
      </div>
      <div class="actions">
        <RoomChoice list={environments.value ?? []} view={view} />
        <Tabs label="Period" titles={periods} chosen={period} onChoose={(period) => show({ ...view, period })} />
      </div>
      <InactiveRooms />
      {kind === "occupancy"
        ? <OccupancyReport key={`${period} ${room}`} period={period} query={range} />
        : (
          <PeriodReportView
            key={`${kind} ${period} ${room}`}
            kind={kind}
            query={new URLSearchParams({ period, ...ofRoom })}
          />
        )}
    </section>
  )
}
