/**
 * The command line of `data`: `export` writes stored data of a running service to tables.
 */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Identifier } from "../../protocols/domain/site.ts"
import type { ExportedTable } from "../commands/export-command.ts"
import { json, loaded, serviceUrl } from "./flags.ts"

const exportOf = (table: ExportedTable, description: string) =>
  Command.make(
    table,
    {
      file: Argument.File("file").pipe(
        Argument.withDescription("Output: a name that ends with .csv, .parquet or .npz"),
      ),
      from: Flag.String("from").pipe(
        Flag.withDescription("Start, e.g. 2026-11-20T00:00:00Z; default 24 hours before the end"),
        Flag.optional,
      ),
      until: Flag.String("until").pipe(Flag.withDescription("End, not included; default now"), Flag.optional),
      environment: Flag.String("environment").pipe(
        Flag.withSchema(Identifier),
        Flag.withDescription("Only this environment; default all active ones"),
        Flag.optional,
      ),
      url: serviceUrl,
      json,
    },
    Effect.fn(function* ({ environment, file, from, json, until, url }) {
      const { exportTable } = yield* loaded(() => import("../commands/export-command.ts"))
      yield* exportTable({
        table,
        file,
        from: Option.getOrNull(from),
        until: Option.getOrNull(until),
        environmentId: Option.getOrNull(environment),
        url,
        json,
      })
    }),
  ).pipe(Command.withDescription(description))

const exportCommand = Command.make("export").pipe(
  Command.withDescription("Write stored data of a running service to CSV, Parquet or NumPy files"),
  Command.withSubcommands([
    exportOf("frames", "One row per frame: presence, motion, vital signs, with reasons"),
    exportOf("persons", "One row per person of a frame: location, activity, the 17 joints in metres"),
    exportOf("tracks", "One row per track"),
    exportOf("events", "One row per event: falls, alerts, activities, zones"),
  ]),
)

export const dataCommand = Command.make("data").pipe(
  Command.withDescription("Export stored frames, persons, tracks and events"),
  Command.withSubcommands([exportCommand]),
)
