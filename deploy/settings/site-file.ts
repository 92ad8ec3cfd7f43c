/**
 * Site files: `start --site` enrols their environments, and `sim training-data --site` simulates their rooms.
 */
import { Effect, Schema } from "effect"
import { readFile } from "node:fs/promises"
import { Site } from "../../protocols/domain/site.ts"
import { InvalidCommand } from "./invalid-command.ts"

/** One site, or a list of them. */
const SiteFile = Schema.Union([Site, Schema.Array(Site)])

/** The sites of a file. */
export const readSites = Effect.fnUntraced(function* (
  file: string,
): Effect.fn.Return<ReadonlyArray<Site>, InvalidCommand> {
  const invalid = (cause: unknown) =>
    new InvalidCommand({
      message: `${file} is not a valid site file: ${
        cause instanceof Error ? cause.message : cause
      }. docs/sites.md describes site files.`,
    })
  const json = yield* Effect.tryPromise({ try: async () => JSON.parse(await readFile(file, "utf8")), catch: invalid })
  const sites = yield* Schema.decodeUnknownEffect(SiteFile)(json).pipe(Effect.mapError(invalid))
  return "environmentId" in sites ? [sites] : sites
})
