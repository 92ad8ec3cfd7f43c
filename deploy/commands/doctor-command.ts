/**
 * `wavepose doctor`: looks at a running service twice and says why there are no frames, and what to do.
 *
 * Boundary: it asks over REST like any client; what it finds is judged in `doctor/judge.ts`.
 */
import { Console, Data, Effect, Schema } from "effect"
import { DiagnosticsBody } from "../../protocols/pose-api/diagnostics.ts"
import { type Finding, ok, problem, unknown, type Verdict } from "../doctor/finding.ts"
import { judge } from "../doctor/judge.ts"
import type { InvalidCommand } from "../settings/invalid-command.ts"
import { askService, type NoAnswer, signIn } from "./service-client.ts"

export interface DoctorOptions {
  /** E.g. `http://127.0.0.1:8000`. */
  readonly url: string
  readonly json: boolean
}

/** Something is wrong with the service; what was found is printed already. */
export class ProblemsFound extends Data.TaggedError("ProblemsFound")<{ readonly message: string }> {}

/** Between the two looks: thirty hops. */
const watch = "3 seconds"

const Health = Schema.Struct({
  status: Schema.String,
  version: Schema.String,
  /** Absent from services before this field. */
  reasons: Schema.optionalKey(Schema.Array(Schema.String)),
})

const access = (url: string) =>
  Effect.flatMap(signIn(url, "the diagnostics are for the role operator."), (headers) => {
    const look = askService(url, "/system/diagnostics", DiagnosticsBody, { headers })
    return Effect.all([look, Effect.delay(look, watch)])
  })

/** What could be found, from the outermost door inwards. */
const examine = Effect.fnUntraced(function* (url: string): Effect.fn.Return<ReadonlyArray<Finding>, InvalidCommand> {
  const health = yield* Effect.result(askService(url, "/health", Health))
  if (health._tag === "Failure") {
    return [problem(
      "service",
      `${url} does not answer: ${health.failure.message}`,
      "Start the service (npm start), or name another one with --url.",
    )]
  }
  const { reasons = ["The store does not answer."], status, version } = health.success
  const service = status === "healthy" ? ok("service", `version ${version}, healthy`) : problem(
    "service",
    `version ${version}, ${status}: ${reasons.join(" ")}`,
    "See the other findings for what to do.",
  )
  const looked = yield* access(url).pipe(
    Effect.map(([first, last]) => judge(first, last)),
    Effect.catchTag("NoAnswer", (failure) => Effect.succeed([refused(failure)])),
  )
  return [service, ...looked]
})

const refused = ({ message, status }: NoAnswer): Finding =>
  status === 401 || status === 403
    ? problem("access", message, "Use an API key of role operator or admin (WAVEPOSE_API_KEY), or the right password.")
    : unknown("diagnostics", message, "Run the doctor again; if it stays so, look into the service's log.")

const marks: Readonly<Record<Verdict, string>> = {
  ok: "ok     ",
  limit: "limit  ",
  problem: "PROBLEM",
  unknown: "unknown",
}

const textOf = ({ advice, check, finding, verdict }: Finding): string =>
  `${marks[verdict]}  ${check}: ${finding}${advice === null ? "" : `\n         ${advice}`}`

/** Prints what is found; fails when something keeps frames from coming. */
export const doctor = Effect.fnUntraced(function* ({ json, url }: DoctorOptions) {
  const findings = yield* examine(url.replace(/\/+$/, ""))
  const wrong = findings.filter(({ verdict }) => verdict === "problem" || verdict === "unknown").length
  yield* Console.log(
    json ? JSON.stringify({ healthy: wrong === 0, findings }) : findings.map(textOf).join("\n"),
  )
  if (wrong > 0) {
    return yield* new ProblemsFound({ message: `${wrong} of ${findings.length} findings keep frames from coming.` })
  }
})
