/**
 * `wavepose backup` and `wavepose restore`: copy the embedded database to a folder and back. PostgreSQL has its own tools.
 */
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { backUp, restore } from "../../actors/store/database/embedded-backup.ts"
import { InvalidCommand } from "../settings/invalid-command.ts"
import { readSettings } from "../settings/settings.ts"

const folder = Argument.String("folder").pipe(Argument.withDescription("Folder of the backup"))

/** The data folder of the embedded database. Fails if the settings name a PostgreSQL. */
const dataDirectoryOf = (instead: string) =>
  Effect.flatMap(
    readSettings(process.env),
    ({ dataDirectory, databaseUrl }) =>
      databaseUrl === null ? Effect.succeed(dataDirectory) : Effect.fail(
        new InvalidCommand({ message: `DATABASE_URL names a PostgreSQL server. Use its own tools: ${instead}` }),
      ),
  )

export const backupCommand = Command.make(
  "backup",
  { folder },
  Effect.fn(function* ({ folder }) {
    const dataDirectory = yield* dataDirectoryOf('pg_dump --format=custom --file=wavepose.dump "$DATABASE_URL"')
    yield* backUp(dataDirectory, folder)
    yield* Console.log(
      `The database of ${dataDirectory} was copied to ${folder}. If data are encrypted, keep ` +
        `${dataDirectory}/encryption-keys in another place: the backup cannot be read without it.`,
    )
  }),
).pipe(Command.withDescription("Copy the embedded database to a new folder; stop the service first"))

export const restoreCommand = Command.make(
  "restore",
  { folder },
  Effect.fn(function* ({ folder }) {
    const dataDirectory = yield* dataDirectoryOf('pg_restore --dbname="$DATABASE_URL" wavepose.dump')
    yield* restore(dataDirectory, folder)
    yield* Console.log(`The database of ${folder} was copied to ${dataDirectory}. Start the service.`)
  }),
).pipe(Command.withDescription("Copy a backup into a data folder that has no database"))
