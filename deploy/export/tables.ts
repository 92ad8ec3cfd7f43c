/**
 * The tables that an export can hold, as columns over the answers of the REST API in the bare form.
 *
 * Units are the last part of a column's name, except for `x`, `y` and `z`, which are metres of the world frame. Values that the API leaves
 * null are null here, with the reason in a column beside them.
 */
import type { Schema } from "effect"
import { keypointNames } from "../../core/pose/skeleton.ts"
import type { EventBody } from "../../protocols/pose-api/event-json.ts"
import type { BareHistory } from "../../protocols/pose-api/history.ts"
import type { Cell, Column, ColumnType, Table } from "./table.ts"

type ApiFrame = Schema.Schema.Type<typeof BareHistory>["poses"][number]
type ApiPerson = ApiFrame["persons"][number]
export type ApiEvent = Schema.Schema.Type<typeof EventBody>

/** A person of a frame. */
interface PersonRow {
  readonly frame: ApiFrame
  readonly person: ApiPerson
}

const timeMs = (iso: string): number => Date.parse(iso)

const column = <Item>(name: string, type: ColumnType, of: (item: Item) => Cell): Column<Item> => ({ name, type, of })

const headOf = <Item>(frameOf: (item: Item) => ApiFrame): Table<Item> => [
  column("environment_id", "text", (item) => frameOf(item).environment_id),
  column("frame_id", "integer", (item) => frameOf(item).frame_id),
  column("timestamp", "time", (item) => timeMs(frameOf(item).timestamp)),
  column("source", "text", (item) => frameOf(item).metadata.provenance.source),
  column("model_version", "text", (item) => frameOf(item).metadata.provenance.model_version),
  column("calibrated", "boolean", (item) => frameOf(item).metadata.provenance.calibrated),
]

/** One row per frame. */
export const framesTable: Table<ApiFrame> = [
  ...headOf<ApiFrame>((frame) => frame),
  column("links_used", "integer", ({ metadata }) => metadata.provenance.links_used),
  column(
    "person_count",
    "integer",
    ({ metadata, persons }) => persons.length > 0 || metadata.capabilities.includes("count") ? persons.length : null,
  ),
  column("persons_reason", "text", ({ metadata }) => metadata.persons_reason),
  column("present", "boolean", ({ metadata }) => metadata.presence.present),
  column("presence_confidence", "float", ({ metadata }) => metadata.presence.confidence),
  column("presence_reason", "text", ({ metadata }) => metadata.presence.reason),
  column("motion", "float", ({ metadata }) => metadata.motion),
  column("breathing_rate_per_minute", "float", ({ metadata }) => metadata.vitals.breathing_rate_bpm),
  column("breathing_reason", "text", ({ metadata }) => metadata.vitals.breathing_reason),
  column("heart_rate_per_minute", "float", ({ metadata }) => metadata.vitals.heartrate_bpm),
  column("heart_rate_reason", "text", ({ metadata }) => metadata.vitals.heartrate_reason),
  column("signal_quality", "float", ({ metadata }) => metadata.signal_quality),
]

const jointOf = (person: ApiPerson, name: string) => person.keypoints_3d?.find((joint) => joint.name === name)

/** One row per person of a frame, with the 17 joints in columns. */
export const personsTable: Table<PersonRow> = [
  ...headOf<PersonRow>(({ frame }) => frame),
  column("track_id", "integer", ({ person }) => person.id),
  column("track_age_frames", "integer", ({ person }) => person.tracking_info.track_age),
  column("confidence", "float", ({ person }) => person.confidence),
  column("activity", "text", ({ person }) => person.activity),
  column("x", "float", ({ person }) => person.location.x),
  column("y", "float", ({ person }) => person.location.y),
  column("velocity_x_mps", "float", ({ person }) => person.tracking_info.velocity.x),
  column("velocity_y_mps", "float", ({ person }) => person.tracking_info.velocity.y),
  ...keypointNames.flatMap((name): Table<PersonRow> => [
    column(`${name}_x`, "float", ({ person }) => jointOf(person, name)?.x ?? null),
    column(`${name}_y`, "float", ({ person }) => jointOf(person, name)?.y ?? null),
    column(`${name}_z`, "float", ({ person }) => jointOf(person, name)?.z ?? null),
    column(`${name}_sigma_m`, "float", ({ person }) => jointOf(person, name)?.sigma_m ?? null),
    column(`${name}_confidence`, "float", ({ person }) => jointOf(person, name)?.confidence ?? null),
  ]),
]

/** The persons of frames. */
export const personRows = (frames: ReadonlyArray<ApiFrame>): ReadonlyArray<PersonRow> =>
  frames.flatMap((frame) => frame.persons.map((person) => ({ frame, person })))

/** One row per event, in its newest revision. */
export const eventsTable: Table<ApiEvent> = [
  column("event_id", "text", ({ event_id }) => event_id),
  column("environment_id", "text", ({ environment_id }) => environment_id),
  column("timestamp", "time", ({ timestamp }) => timeMs(timestamp)),
  column("type", "text", ({ type }) => type),
  column("severity", "text", ({ severity }) => severity),
  column("track_id", "integer", ({ track_id }) => track_id),
  column("confidence", "float", ({ confidence }) => confidence),
  column("x", "float", ({ location }) => location?.x ?? null),
  column("y", "float", ({ location }) => location?.y ?? null),
  column("zone_id", "text", ({ metadata }) => metadata.zone?.zone_id ?? null),
  column("activity_from", "text", ({ metadata }) => metadata.activity_from),
  column("activity_to", "text", ({ metadata }) => metadata.activity_to),
  column("duration_s", "float", ({ metadata }) => metadata.fall_duration ?? metadata.duration_seconds),
  column("status", "text", ({ metadata }) => metadata.status),
  column("ended_at", "time", ({ metadata }) => metadata.ended_at === null ? null : timeMs(metadata.ended_at)),
  column("source", "text", ({ metadata }) => metadata.provenance.source),
]

/** A track, summed from the frames of the exported range. */
export interface TrackRow {
  readonly environmentId: string
  readonly trackId: number
  readonly source: string
  firstMs: number
  lastMs: number
  frames: number
  confidenceSum: number
  pathM: number
  x: number
  y: number
}

/** Adds the persons of frames, which are in order of time, to their tracks. */
export const addToTracks = (tracks: Map<string, TrackRow>, rows: ReadonlyArray<PersonRow>): void => {
  for (const { frame, person } of rows) {
    const key = `${frame.environment_id} ${person.id}`
    const { x, y } = person.location
    const atMs = timeMs(frame.timestamp)
    const known = tracks.get(key)
    if (known === undefined) {
      tracks.set(key, {
        environmentId: frame.environment_id,
        trackId: person.id,
        source: frame.metadata.provenance.source,
        firstMs: atMs,
        lastMs: atMs,
        frames: 1,
        confidenceSum: person.confidence,
        pathM: 0,
        x,
        y,
      })
      continue
    }
    known.pathM += Math.hypot(x - known.x, y - known.y)
    known.lastMs = atMs
    known.frames++
    known.confidenceSum += person.confidence
    known.x = x
    known.y = y
  }
}

/** One row per track, as far as it lies in the exported range. */
export const tracksTable: Table<TrackRow> = [
  column("environment_id", "text", ({ environmentId }) => environmentId),
  column("track_id", "integer", ({ trackId }) => trackId),
  column("source", "text", ({ source }) => source),
  column("first_seen", "time", ({ firstMs }) => firstMs),
  column("last_seen", "time", ({ lastMs }) => lastMs),
  column("duration_s", "float", ({ firstMs, lastMs }) => (lastMs - firstMs) / 1e3),
  column("frames", "integer", ({ frames }) => frames),
  column("mean_confidence", "float", ({ confidenceSum, frames }) => confidenceSum / frames),
  column("path_m", "float", ({ pathM }) => pathM),
]
