/**
 * Reports from the database: implements the port `Analytics`. The SQL is in the other files of this folder, one per table.
 */
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { Analytics } from "../../../protocols/ports/analytics.ts"
import { makeEventReports } from "./analytics-events.ts"
import { makeFrameReports } from "./analytics-frames.ts"
import { makeTrackReports } from "./analytics-tracks.ts"
import type { FrameBodies } from "../encryption/body-encryption.ts"

export const layerAnalytics: Layer.Layer<Analytics, never, SqlClient.SqlClient | FrameBodies> = Layer.effect(
  Analytics,
  Effect.all([makeFrameReports, makeTrackReports, makeEventReports]).pipe(
    Effect.map(([frames, tracks, events]) => ({ ...frames, ...tracks, ...events })),
  ),
)
