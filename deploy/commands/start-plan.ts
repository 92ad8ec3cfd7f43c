/**
 * What a start enrols and plays: the environments of its site files and of its source, each with its origin.
 *
 * Boundary: reads files; `start.ts` enrols and plays.
 */
import { Effect } from "effect"
import { resolve } from "node:path"
import type { Source } from "../../protocols/domain/provenance.ts"
import type { Origin, Site } from "../../protocols/domain/site.ts"
import { readSites } from "../settings/site-file.ts"
import type { SourceOptions } from "../settings/source-options.ts"
import { loadScenario } from "../source/load-scenario.ts"
import { type EmptyAtFirst, type Enrolment, planReplay } from "../source/replay.ts"
import { emptyAtFirst, scenarioEnrolments } from "../source/simulate.ts"
import type { SourceDescription } from "./print.ts"

/** An enrolment and its origin. */
interface Planned extends Enrolment {
  readonly origin: Origin
}

const planSite = (file: string) => ({ routers, ...environment }: Site): Planned => ({
  environment,
  routerIds: routers,
  origin: { source: "live", name: resolve(file) },
})

/** What a start enrols and plays. */
export interface StartPlan {
  readonly enrolments: ReadonlyArray<Planned>
  /** Environment of the system session; null: all. */
  readonly environmentId: string | null
  /** Rooms that are empty when the source begins. */
  readonly empty: ReadonlyArray<EmptyAtFirst>
  readonly source: SourceDescription
}

/** The origin of the environments of a start. */
export const sourceOf = ({ kind }: SourceOptions): Source => kind === "none" ? "live" : kind

/** The only environment of a source; null if there are several. */
const onlyOf = (enrolments: ReadonlyArray<Enrolment>): string | null =>
  enrolments.length === 1 ? enrolments[0]!.environment.environmentId : null

export const environmentIdsOf = (enrolments: ReadonlyArray<Enrolment>): ReadonlyArray<string> =>
  enrolments.map(({ environment }) => environment.environmentId)

export const planStart = Effect.fnUntraced(function* (source: SourceOptions, siteFiles: ReadonlyArray<string>) {
  const sites = (yield* Effect.forEach(siteFiles, (file) =>
    Effect.map(readSites(file), (read) => read.map(planSite(file)))))
    .flat()
  const planned = (
    enrolments: ReadonlyArray<Enrolment>,
    empty: ReadonlyArray<EmptyAtFirst>,
    description: SourceDescription,
    name: string | null = null,
  ): StartPlan => ({
    enrolments: [...sites, ...enrolments.map((one) => ({ ...one, origin: { source: sourceOf(source), name } }))],
    environmentId: onlyOf(enrolments),
    empty,
    source: description,
  })
  switch (source.kind) {
    case "none":
      return planned([], [], { kind: "none" })
    case "replay": {
      const { empty, enrolments, simulated } = yield* planReplay(source.files)
      const environmentIds = environmentIdsOf(enrolments)
      return planned(
        enrolments,
        empty,
        { kind: "replay", files: source.files, simulated, environmentIds },
        source.files.map((file) => resolve(file)).join(", "),
      )
    }
    case "simulated": {
      const scenario = yield* loadScenario(source.scenario, source.seed)
      const enrolments = scenarioEnrolments(scenario)
      const description = { kind: "simulated", scenario, environmentIds: environmentIdsOf(enrolments) } as const
      return planned(enrolments, emptyAtFirst(scenario), description, scenario.scenarioId)
    }
  }
})
