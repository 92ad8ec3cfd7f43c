/**
 * `wavepose site`: lists, shows, adds, changes and removes environments of a running service, over REST like any client.
 */
import { Console, Effect, type Schema } from "effect"
import { Prompt } from "effect/cli"
import { creationOf } from "../../protocols/pose-api/environment-changes.ts"
import { EnvironmentDetail, EnvironmentsBody, RemovedEnvironmentBody } from "../../protocols/pose-api/environments.ts"
import type { Site } from "../../protocols/domain/site.ts"
import { InvalidArguments } from "../settings/invalid-command.ts"
import { ServiceSilent } from "../settings/service-silent.ts"
import { readSites } from "../settings/site-file.ts"
import { askAsUser, type ServiceRequest } from "./service-client.ts"
import { tableOf } from "./text-table.ts"

export interface SiteOptions {
  /** E.g. `http://127.0.0.1:8000`. */
  readonly url: string
}

/** A long history takes long to delete. */
const removalMsMax = 600_000

const why = "reading sites needs the role viewer, adding, changing and removing them the role operator."

const ask = <A>({ url }: SiteOptions, path: string, schema: Schema.ConstraintDecoder<A>, request?: ServiceRequest) =>
  askAsUser(url, why, path, schema, request)

/** Prints the environments and what enrolled each. */
export const listSites = Effect.fnUntraced(function* (options: SiteOptions & { readonly json: boolean }) {
  const body = yield* ask(options, "/environments", EnvironmentsBody)
  if (options.json) return yield* Console.log(JSON.stringify(body))
  const rows = body.environments.map(({ active, environment_id, origin, routers }) => [
    environment_id,
    active ? "yes" : "no",
    originOf(origin),
    routers.join(", "),
  ])
  if (rows.length > 0) yield* Console.log(tableOf([["ENVIRONMENT", "ACTIVE", "ORIGIN", "ROUTERS"], ...rows]))
  yield* Console.log(`${rows.length} environments.`)
})

const metres = ({ x, y, z }: { readonly x: number; readonly y: number; readonly z: number }): string =>
  [x, y, z].map((value) => String(Math.round(value * 1e3) / 1e3)).join(" ")

const originOf = ({ name, source }: (typeof EnvironmentDetail.Type)["origin"]): string =>
  name === null ? source : `${source} (${name})`

const detailText = (body: typeof EnvironmentDetail.Type): string => {
  const { active, enrolled_at, environment_id, geometry, name, origin, routers, zones } = body
  const nodes = geometry?.nodes.map(({ node_id, position }) => [node_id, metres(position)]) ?? []
  const areas = zones.map(({ kind, name, role, zone_id }) => [zone_id, name, kind, role ?? "-"])
  return [
    tableOf([
      ["environment", environment_id],
      ["name", name],
      ["active", active ? "yes" : "no"],
      ["origin", originOf(origin)],
      ["enrolled", enrolled_at],
      ["routers", routers.length === 0 ? "-" : routers.join(", ")],
      ["room, m", geometry === null ? "not measured" : metres(geometry.size)],
    ]),
    ...(nodes.length === 0 ? [] : [tableOf([["NODE", "POSITION, M"], ...nodes])]),
    ...(areas.length === 0 ? [] : [tableOf([["ZONE", "NAME", "KIND", "ROLE"], ...areas])]),
  ].join("\n\n")
}

/** Prints one environment with its geometry and zones. */
export const showSite = Effect.fnUntraced(function* (
  options: SiteOptions & { readonly environmentId: string; readonly json: boolean },
) {
  const body = yield* ask(options, `/environments/${encodeURIComponent(options.environmentId)}`, EnvironmentDetail)
  yield* Console.log(options.json ? JSON.stringify(body) : detailText(body))
})

interface FileOptions extends SiteOptions {
  readonly file: string
  readonly json: boolean
}

/** Sends each site of a file to the service, and prints what has become of it. */
const sendSites = Effect.fnUntraced(function* (
  options: FileOptions,
  requestOf: (site: Site) => { readonly method: "POST" | "PUT"; readonly path: string; readonly body: object },
  done: string,
) {
  const sent: Array<typeof EnvironmentDetail.Type> = []
  for (const site of yield* readSites(options.file)) {
    const { body, method, path } = requestOf(site)
    const detail = yield* ask(options, path, EnvironmentDetail, { method, body: JSON.stringify(body) })
    sent.push(detail)
    if (options.json) continue
    const inactive = detail.active ? "" : " It is not active: no node of the service waits for routers."
    yield* Console.error(`Environment ${detail.environment_id} is ${done}.${inactive}`)
  }
  if (options.json) yield* Console.log(JSON.stringify({ environments: sent }))
})

/** Creates the environments of a site file. */
export const addSites = (options: FileOptions) =>
  sendSites(options, (site) => ({ method: "POST", path: "/environments", body: creationOf(site) }), "created")

/** Replaces the name, geometry, zones and routers of the environments of a site file by what it says. */
export const changeSites = (options: FileOptions) =>
  sendSites(options, (site) => {
    const { environment_id, ...body } = creationOf(site)
    return { method: "PUT", path: `/environments/${encodeURIComponent(environment_id)}`, body }
  }, "changed")

/** Asks the user to confirm. Fails without a terminal. */
const confirm = (message: string) =>
  process.stdin.isTTY
    ? Prompt.run(Prompt.Confirm({ message, initial: false })).pipe(
      Effect.catchTag("QuitError", () => Effect.succeed(false)),
    )
    : Effect.fail(
      new InvalidArguments({
        message: "Nothing was removed: there is no terminal to ask for confirmation. Add --yes.",
      }),
    )

const takesLonger = (dropHistory: boolean): string =>
  `The ${dropHistory ? "deletion" : "removal"} takes longer than ${removalMsMax / 60_000} minutes. ` +
  (dropHistory ? "Repeat the command: it continues." : "List the sites to see whether it has succeeded.")

/** Removes an environment with its routers. */
export const removeSite = Effect.fnUntraced(function* (
  options: SiteOptions & {
    readonly environmentId: string
    readonly dropHistory: boolean
    readonly json: boolean
    readonly yes: boolean
  },
) {
  const { dropHistory, environmentId, json, yes } = options
  const what = dropHistory ? "and delete its history" : "and keep its history"
  if (!yes && !(yield* confirm(`Remove environment ${environmentId} with its routers ${what}?`))) {
    return yield* Console.error("Nothing was removed.")
  }
  const path = `/environments/${encodeURIComponent(environmentId)}?history=${dropHistory ? "drop" : "keep"}`
  const { deleted } = yield* ask(options, path, RemovedEnvironmentBody, { method: "DELETE", timeoutMs: Infinity }).pipe(
    Effect.timeoutOrElse({
      duration: removalMsMax,
      orElse: () => Effect.fail(new ServiceSilent({ message: takesLonger(dropHistory) })),
    }),
  )
  if (json) return yield* Console.log(JSON.stringify({ environment_id: environmentId, removed: true, deleted }))
  yield* Console.error(
    deleted === null
      ? `Environment ${environmentId} is removed; its history is kept. A start that names it enrols it again.`
      : `Environment ${environmentId} is removed with its history: ${deleted.frames} frames, ${deleted.events} events, ` +
        `${deleted.tracks} tracks.`,
  )
})
