/**
 * `wavepose export`: writes stored frames, persons, tracks or events of a running service to a table, over REST like any client.
 */
import { Clock, Console, Effect, Schema, Scope } from "effect"
import { dayMs } from "../../core/analytics/calendar.ts"
import { EventBody } from "../../protocols/pose-api/event-json.ts"
import { epochMsOf, isDay, Timestamp } from "../../protocols/pose-api/fields.ts"
import { BareHistory } from "../../protocols/pose-api/history.ts"
import { cellsOf, type ColumnCells, type Table } from "../export/table.ts"
import { type TableFormat, tableFormats, writeTable } from "../export/table-writer.ts"
import {
  addToTracks,
  type ApiEvent,
  eventsTable,
  framesTable,
  personRows,
  personsTable,
  type TrackRow,
  tracksTable,
} from "../export/tables.ts"
import { InvalidArguments, type InvalidCommand } from "../settings/invalid-command.ts"
import type { UnwritableFile } from "../source/unwritable-file.ts"
import { progressBar } from "./progress-bar.ts"
import { askService, NoAnswer, rejectedBy, signIn } from "./service-client.ts"

export const exportedTables = ["frames", "persons", "tracks", "events"] as const
export type ExportedTable = typeof exportedTables[number]

export interface ExportOptions {
  readonly table: ExportedTable
  /** The name's ending selects the format. */
  readonly file: string
  /** ISO 8601 times with `Z` or an offset, or days in UTC; null: the last 24 hours up to now. */
  readonly from: string | null
  readonly until: string | null
  /** Null: all active environments. */
  readonly environmentId: string | null
  /** E.g. `http://127.0.0.1:8000`. */
  readonly url: string
  readonly json: boolean
}

/** Page size of the API. */
const pageRows = 1000
/** A page of a busy day takes longer than other answers. */
const pageMsMax = 60_000

interface Range {
  readonly fromMs: number
  readonly untilMs: number
}

type Failure = InvalidCommand | UnwritableFile
type Add = (cells: ColumnCells) => Effect.Effect<void, UnwritableFile>

const isTime = Schema.is(Timestamp)

const timeOf = (flag: string, text: string | null, otherwiseMs: number) => {
  if (text === null) return Effect.succeed(otherwiseMs)
  if (isTime(text)) return Effect.succeed(epochMsOf(text))
  if (/^\d{4}-\d\d-\d\d$/.test(text) && isDay(text)) return Effect.succeed(epochMsOf(`${text}T00:00Z`))
  const message = `${flag} is "${text}", but must be a time such as 2026-11-20T08:00:00Z, or a day such as 2026-11-20.`
  return Effect.fail(new InvalidArguments({ message }))
}

const formatOf = (file: string): Effect.Effect<TableFormat, InvalidArguments> => {
  const format = tableFormats.find((format) => file.toLowerCase().endsWith(`.${format}`))
  return format !== undefined ? Effect.succeed(format) : Effect.fail(
    new InvalidArguments({ message: `"${file}" must end with ${tableFormats.map((name) => `.${name}`).join(", ")}.` }),
  )
}

const Events = Schema.Array(EventBody)

/** Code of the error for a range without frames. An unknown environment has another one. */
const noFramesCode = "POSE_DATA_NOT_FOUND"

/** A request waits so often for the next window of a rate limit: longer only if other clients use up each of them. */
const waitsMax = 24

/** Repeats a request that is above a rate limit when the limit's window has ended. */
const whenAdmitted = <A>(request: Effect.Effect<A, NoAnswer>, waits = waitsMax): Effect.Effect<A, NoAnswer> =>
  Effect.catchIf(
    request,
    ({ retryAfterS }) => retryAfterS !== undefined && waits > 0,
    ({ retryAfterS }) =>
      Console.error(
        `The rate limit of the service is used up. The export continues in ${retryAfterS} seconds. WAVEPOSE_RATE_LIMIT_REST, a setting of the service, raises the limit.`,
      ).pipe(
        Effect.andThen(Effect.sleep(retryAfterS! * 1000)),
        Effect.andThen(Effect.suspend(() => whenAdmitted(request, waits - 1))),
      ),
  )

const unauthenticated = 401

/** Asks the service, signed in, for pages of a path. An export of days signs in again when its token has ended. */
const connected = Effect.fnUntraced(function* (url: string) {
  const scope = yield* Effect.scope
  const signedIn = signIn(url, "an export needs the role viewer.").pipe(Effect.provideService(Scope.Scope, scope))
  let headers = yield* signedIn
  return <A>(path: string, query: Record<string, string | null>, schema: Schema.ConstraintDecoder<A>) => {
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== null)
    const target = `${path}?${new URLSearchParams(given)}`
    const page = whenAdmitted(Effect.suspend(() => askService(url, target, schema, { headers, timeoutMs: pageMsMax })))
    const renewed = Effect.andThen(Effect.map(signedIn, (given) => void (headers = given)), page)
    return Effect.catchIf(page, ({ status }) => status === unauthenticated && "authorization" in headers, () => renewed)
  }
})

type Ask = Effect.Success<ReturnType<typeof connected>>

const iso = (ms: number): string => new Date(ms).toISOString()

/** Calls `take` with each page of frames, oldest first. A range without frames has none. */
const eachPageOfFrames = Effect.fnUntraced(
  function* (
    { ask, environmentId, keypoints, range }: {
      readonly ask: Ask
      readonly environmentId: string | null
      readonly keypoints: boolean
      readonly range: Range
    },
    take: (frames: (typeof BareHistory.Type)["poses"]) => Effect.Effect<void, UnwritableFile>,
  ) {
    const bar = progressBar("exporting")
    let cursor: string | null = null
    do {
      const page: typeof BareHistory.Type = yield* ask("/pose/history", {
        start_time: iso(range.fromMs),
        end_time: iso(range.untilMs),
        environment_id: environmentId,
        include_keypoints: "false",
        include_3d: String(keypoints),
        limit: String(pageRows),
        cursor,
      }, BareHistory)
      yield* take(page.poses)
      const last = page.poses.at(-1)
      if (last !== undefined) {
        bar.show((Date.parse(last.timestamp) - range.fromMs) / (range.untilMs - range.fromMs))
      }
      cursor = page.pagination.next_cursor
    } while (cursor !== null)
    bar.clear()
  },
  (effect) =>
    Effect.catchIf(
      effect,
      (failure) => failure instanceof NoAnswer && failure.code === noFramesCode,
      () => Effect.void,
    ),
)

/** Pages of events come newest first. */
const eachPageOfEvents = Effect.fnUntraced(function* (
  ask: Ask,
  range: Range,
  environmentId: string | null,
  take: (events: ReadonlyArray<ApiEvent>) => Effect.Effect<void, UnwritableFile>,
) {
  let before: string | null = null
  do {
    const page: typeof Events.Type = yield* ask("/analytics/events", {
      start_time: iso(range.fromMs),
      end_time: iso(range.untilMs),
      environment_id: environmentId,
      limit: String(pageRows),
      before,
    }, Events)
    yield* take(page)
    before = page.length < pageRows ? null : page.at(-1)!.event_id
  } while (before !== null)
})

/** Writes one table; returns the number of rows. */
const writtenTable = <Item>(
  options: ExportOptions,
  format: TableFormat,
  table: Table<Item>,
  fill: (
    add: (items: ReadonlyArray<Item>) => Effect.Effect<void, UnwritableFile>,
  ) => Effect.Effect<void, NoAnswer | Failure>,
) =>
  Effect.gen(function* () {
    let rows = 0
    yield* writeTable({ file: options.file, format, heads: table }, (add: Add) =>
      fill((items) => {
        rows += items.length
        return add(cellsOf(table, items))
      }))
    return rows
  })

/** Runs an export and prints what was written. */
export const exportTable = Effect.fnUntraced(function* (options: ExportOptions) {
  const { environmentId, file, json, table, url } = options
  const format = yield* formatOf(file)
  const nowMs = yield* Clock.currentTimeMillis
  const untilMs = yield* timeOf("--until", options.until, nowMs)
  const range = { fromMs: yield* timeOf("--from", options.from, untilMs - dayMs), untilMs }
  if (range.fromMs >= untilMs) {
    return yield* new InvalidArguments({ message: "--from is not before --until, so there is nothing to export." })
  }
  const written = Effect.gen(function* () {
    const ask = yield* connected(url)
    const frames = { ask, environmentId, range }
    switch (table) {
      case "frames":
        return yield* writtenTable(
          options,
          format,
          framesTable,
          (add) => eachPageOfFrames({ ...frames, keypoints: false }, add),
        )
      case "persons":
        return yield* writtenTable(
          options,
          format,
          personsTable,
          (add) => eachPageOfFrames({ ...frames, keypoints: true }, (page) => add(personRows(page))),
        )
      case "tracks":
        return yield* writtenTable(options, format, tracksTable, (add) => {
          const tracks = new Map<string, TrackRow>()
          return eachPageOfFrames(
            { ...frames, keypoints: false },
            (page) => Effect.sync(() => addToTracks(tracks, personRows(page))),
          ).pipe(
            Effect.andThen(Effect.suspend(() => add([...tracks.values()]))),
          )
        })
      case "events":
        return yield* writtenTable(
          options,
          format,
          eventsTable,
          (add) => eachPageOfEvents(ask, range, environmentId, add),
        )
    }
  })
  const rows = yield* rejectedBy(url)(Effect.scoped(written))
  const span = { from: iso(range.fromMs), until: iso(untilMs) }
  yield* Console.log(
    json
      ? JSON.stringify({ file, table, rows, ...span })
      : `${rows} rows of ${table} from ${span.from} to ${span.until} are in ${file}.`,
  )
})
