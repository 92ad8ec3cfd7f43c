/**
 * `wavepose user reset-password`: sets a new password in the database for a user who has lost the old one.
 *
 * With the embedded database it locks the data folder, so the service must be stopped. With PostgreSQL it runs beside the nodes, which
 * reject the user's old tokens within seconds.
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Console, Effect, Redacted } from "effect"
import { text } from "node:stream/consumers"
import { layerCurrentDatabase, layerDatabase } from "../../actors/store/database/database.ts"
import { databaseFolder, startEmbedded } from "../../actors/store/database/embedded.ts"
import { isDatabase } from "../../actors/store/database/embedded-backup.ts"
import { hasPassword, randomPassword, resetPassword } from "../../actors/store/accounts/users.ts"
import { InvalidCommand } from "../settings/invalid-command.ts"
import { readSettings, type Settings } from "../settings/settings.ts"

/** The origin of the new password. */
export type PasswordSource = "generated" | "environment" | "stdin"

export interface ResetPasswordOptions {
  /** Null: the first administrator of the settings. */
  readonly username: string | null
  readonly from: PasswordSource
  readonly json: boolean
}

const newPassword = Effect.fnUntraced(function* (from: PasswordSource, { adminPassword }: Settings) {
  switch (from) {
    case "generated":
      return yield* randomPassword
    case "stdin":
      return (yield* Effect.promise(() => text(process.stdin))).replace(/\r?\n$/, "")
    case "environment":
      if (adminPassword !== null) return Redacted.value(adminPassword)
      return yield* new InvalidCommand({
        message: "WAVEPOSE_ADMIN_PASSWORD is not set. Set it to the new password, or omit --password-from.",
      })
  }
})

/** The database of the settings. Starts the embedded one for the scope, and fails if it does not exist. */
const database = Effect.fnUntraced(function* ({ dataDirectory, databaseUrl }: Settings) {
  if (databaseUrl !== null) return layerCurrentDatabase({ url: Redacted.value(databaseUrl) })
  if (!isDatabase(databaseFolder(dataDirectory))) {
    return yield* new InvalidCommand({
      message: `There is no database in ${dataDirectory}. Set WAVEPOSE_DATA_DIR to the data folder of the service.`,
    })
  }
  return layerDatabase(yield* startEmbedded(dataDirectory))
})

/** Sets the password. Stdout has a generated password only. */
export const resetUserPassword = Effect.fnUntraced(
  function* ({ from, json, username }: ResetPasswordOptions) {
    const settings = yield* readSettings(process.env)
    const name = username ?? settings.adminUsername
    const password = yield* newPassword(from, settings)
    const found = yield* Effect.provide(resetPassword(name, password), yield* database(settings))
    if (!found) {
      return yield* new InvalidCommand({
        message: `There is no user "${name}" in this database. To name another: wavepose user reset-password USERNAME`,
      })
    }
    if (json) {
      return yield* Console.log(JSON.stringify({ username: name, password: from === "generated" ? password : null }))
    }
    const shown = from === "generated" ? " It is printed once and not stored." : ""
    yield* Console.error(`The user "${name}" has a new password, and all sign-ins of the user have ended.${shown}`)
    if (from === "generated") yield* Console.log(password)
  },
  Effect.provide(NodeCrypto.layerSecureRandom),
  Effect.scoped,
)

/** Warns that WAVEPOSE_ADMIN_PASSWORD has no effect if users exist and it is not the administrator's password. */
export const warnIgnoredPassword = Effect.fnUntraced(function* (username: string, password: string) {
  const is = yield* hasPassword(username, password)
  if (is === true) return
  yield* Effect.logWarning(
    is === null
      ? `WAVEPOSE_ADMIN_PASSWORD has no effect: users exist already, and none is named "${username}".`
      : `WAVEPOSE_ADMIN_PASSWORD has no effect: the user "${username}" exists already with another password. To set it, ` +
        `run: wavepose user reset-password ${username} --password-from environment (embedded database: stop the service first)`,
  )
})
