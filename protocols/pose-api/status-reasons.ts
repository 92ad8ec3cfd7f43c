/**
 * Why a value of the system status is null, by the path of its field. Pure.
 */
import { Schema } from "effect"
import type { SystemStatusValue } from "../domain/system.ts"

export const StatusReasons = Schema.Record(Schema.String, Schema.String).annotate({
  identifier: "StatusReasons",
  description: "Extension: why a value is null, by the path of its field.",
})

const gpu = "The service does not measure the load of a GPU."

/** Values that are never known, and why. */
const constant: Readonly<Record<string, string>> = {
  gpu_utilization: gpu,
  gpu_memory_usage: gpu,
  gpu_usage: gpu,
  interference_level: "CSI does not tell interference from other losses.",
  inference_queue_size: "The pose network has no queue: an environment waits for its pass.",
  connection_pool: "The embedded database has one session instead of a pool.",
}

export const noCount = "No environment counts persons at present: too few links locate them, or nothing streams."

/** Why a value is unknown while environments are active; of the others no packet or frame has come yet. */
const whileActive: Readonly<Record<string, string>> = { active_persons: noCount, active_tracks: noCount }

/** Fields whose own `reason` stands beside them, or whose null says that there is nothing to explain. */
const explained = new Set(["reason", "failure", "health_reason"])

/** The report of which a body is, as far as it says why a value is unknown; a status of null: the environment did not answer. */
interface Asked {
  readonly session: { readonly status: SystemStatusValue }
  readonly environments: ReadonlyArray<{ readonly status: object | null }>
}

/** Why values that frames or packets bring are unknown at present. */
const present = (name: string, { environments, session: { status } }: Asked): string => {
  if (status !== "running") return `The system is ${status}.`
  if (environments.length === 0) return "No environment is active."
  if (environments.every((of) => of.status === null)) return "No environment answers."
  return whileActive[name] ?? "No packet or frame has brought this value yet."
}

const nullPaths = (value: unknown, path: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  if (value === null) return [path]
  if (typeof value !== "object") return []
  return Object.entries(value).flatMap(([name, of]) => nullPaths(of, [...path, name]))
}

/** The reasons of all nulls in a body of the status of a system. */
export const statusReasons = (
  body: object,
  report: Asked,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    nullPaths(body, []).filter((path) => !explained.has(path.at(-1)!))
      .map((path) => {
        const name = path.at(-1)!
        return [path.join("."), constant[name] ?? present(name, report)]
      }),
  )
