/**
 * `wavepose site`: lists and removes the environments of a running service, over REST like any client.
 */
import { Console, Effect, type Schema } from "effect"
import { Prompt } from "effect/cli"
import { EnvironmentsBody, RemovedEnvironmentBody } from "../../protocols/pose-api/environments.ts"
import { InvalidCommand } from "../settings/invalid-command.ts"
import { askService, NoAnswer, type ServiceRequest, signIn } from "./service-client.ts"
import { tableOf } from "./text-table.ts"

export interface SiteOptions {
  /** E.g. `http://127.0.0.1:8000`. */
  readonly url: string
}

/** A long history takes long to delete. */
const removalMsMax = 600_000

const ask = <A>(
  { url }: SiteOptions,
  path: string,
  schema: Schema.ConstraintDecoder<A>,
  request: ServiceRequest = {},
) =>
  Effect.gen(function* () {
    const service = url.replace(/\/+$/, "")
    const headers = yield* signIn(service, "listing sites needs the role viewer, removing one the role operator.")
    return yield* askService(service, path, schema, { ...request, headers })
  }).pipe(
    Effect.mapError((failure) =>
      failure instanceof NoAnswer
        ? new InvalidCommand({ message: `The service at ${url} rejected the request: ${failure.message}` })
        : failure
    ),
  )

/** Prints the environments and what enrolled each. */
export const listSites = Effect.fnUntraced(function* (options: SiteOptions & { readonly json: boolean }) {
  const body = yield* ask(options, "/environments", EnvironmentsBody)
  if (options.json) return yield* Console.log(JSON.stringify(body))
  const rows = body.environments.map(({ active, environment_id, origin, routers }) => [
    environment_id,
    active ? "yes" : "no",
    origin.name === null ? origin.source : `${origin.source} (${origin.name})`,
    routers.join(", "),
  ])
  if (rows.length > 0) yield* Console.log(tableOf([["ENVIRONMENT", "ACTIVE", "ORIGIN", "ROUTERS"], ...rows]))
  yield* Console.log(`${rows.length} environments.`)
})

/** Asks the user to confirm. Fails without a terminal. */
const confirm = (message: string) =>
  process.stdin.isTTY
    ? Prompt.run(Prompt.Confirm({ message, initial: false })).pipe(
      Effect.catchTag("QuitError", () => Effect.succeed(false)),
    )
    : Effect.fail(
      new InvalidCommand({ message: "Nothing was removed: there is no terminal to ask for confirmation. Add --yes." }),
    )

/** Removes an environment with its routers. */
export const removeSite = Effect.fnUntraced(function* (
  options: SiteOptions & { readonly environmentId: string; readonly dropHistory: boolean; readonly yes: boolean },
) {
  const { dropHistory, environmentId, yes } = options
  const what = dropHistory ? "and delete its history" : "and keep its history"
  if (!yes && !(yield* confirm(`Remove environment ${environmentId} with its routers ${what}?`))) {
    return yield* Console.error("Nothing was removed.")
  }
  const path = `/environments/${encodeURIComponent(environmentId)}?history=${dropHistory ? "drop" : "keep"}`
  const { deleted } = yield* ask(options, path, RemovedEnvironmentBody, { method: "DELETE", timeoutMs: removalMsMax })
  yield* Console.error(
    deleted === null
      ? `Environment ${environmentId} is removed; its history is kept. A start that names it enrols it again.`
      : `Environment ${environmentId} is removed with its history: ${deleted.frames} frames, ${deleted.events} events, ` +
        `${deleted.tracks} tracks.`,
  )
})
