/**
 * `wavepose backup` and `wavepose restore`: copy the embedded database to a folder and back. PostgreSQL has its own tools.
 */
import { Effect } from "effect"
import { backUp, restore } from "../../actors/store/database/embedded-backup.ts"
import { InvalidCommand } from "../settings/invalid-command.ts"
import { readSettings } from "../settings/settings.ts"
import { printResult } from "./output.ts"

/** The data folder of the embedded database. Fails if the settings name a PostgreSQL. */
const dataDirectoryOf = (instead: string) =>
  Effect.flatMap(
    readSettings(process.env),
    ({ dataDirectory, databaseUrl }) =>
      databaseUrl === null ? Effect.succeed(dataDirectory) : Effect.fail(
        new InvalidCommand({ message: `DATABASE_URL names a PostgreSQL server. Use its own tools: ${instead}` }),
      ),
  )

interface BackupOptions {
  readonly folder: string
  readonly json: boolean
}

/** Copies the database of the data folder. */
export const backUpDatabase = Effect.fnUntraced(function* ({ folder, json }: BackupOptions) {
  const dataDirectory = yield* dataDirectoryOf('pg_dump --format=custom --file=wavepose.dump "$DATABASE_URL"')
  yield* backUp(dataDirectory, folder)
  yield* printResult(
    json,
    { from: dataDirectory, to: folder, keys_file: `${dataDirectory}/encryption-keys` },
    `The database of ${dataDirectory} was copied to ${folder}. Keep WAVEPOSE_ENCRYPTION_KEY, or ` +
      `${dataDirectory}/encryption-keys, in another place: without it, the keys of nodes, the secrets of webhooks and ` +
      "encrypted data of the backup cannot be read.",
  )
})

/** Copies a backup into the data folder. */
export const restoreDatabase = Effect.fnUntraced(function* ({ folder, json }: BackupOptions) {
  const dataDirectory = yield* dataDirectoryOf('pg_restore --dbname="$DATABASE_URL" wavepose.dump')
  yield* restore(dataDirectory, folder)
  yield* printResult(
    json,
    { from: folder, to: dataDirectory },
    `The database of ${folder} was copied to ${dataDirectory}. Bring the keys of encryption at rest back ` +
      `(WAVEPOSE_ENCRYPTION_KEY, or ${dataDirectory}/encryption-keys), then start the service.`,
  )
})
