/**
 * `wavepose doctor`: asks a running service for its findings: why no frames are made, and what to do.
 *
 * Boundary: it is a REST client like any other. The service judges (`gateways/diagnosis`); only an unreachable service is judged here.
 */
import { Console, Data, Effect, Schema } from "effect"
import { ok, problem, unknown } from "../../gateways/diagnosis/finding.ts"
import { type Finding, FindingsBody } from "../../protocols/pose-api/findings.ts"
import type { InvalidCommand } from "../settings/invalid-command.ts"
import { certificateAdvice } from "./certificate-advice.ts"
import { askService, type NoAnswer, signIn } from "./service-client.ts"

export interface DoctorOptions {
  /** E.g. `http://127.0.0.1:8000`. */
  readonly url: string
  readonly json: boolean
}

/** The service has problems. The findings are already printed. */
export class ProblemsFound extends Data.TaggedError("ProblemsFound")<{ readonly message: string }> {}

/** The service examines itself twice, seconds apart, and waits for routers that do not answer. */
const timeoutMs = 20_000

const Health = Schema.Struct({
  status: Schema.String,
  version: Schema.String,
  /** Older services do not have this field. */
  reasons: Schema.optionalKey(Schema.Array(Schema.String)),
})

const access = (url: string) =>
  Effect.flatMap(
    signIn(url, "the diagnostics need the role operator."),
    (headers) => askService(url, "/system/findings", FindingsBody, { headers, timeoutMs }),
  )

/** The findings, from the network edge inwards. */
const examine = Effect.fnUntraced(function* (url: string): Effect.fn.Return<ReadonlyArray<Finding>, InvalidCommand> {
  const health = yield* Effect.result(askService(url, "/health", Health))
  if (health._tag === "Failure") return [unreachable(url, health.failure.message)]
  const { reasons = ["The store does not answer."], status, version } = health.success
  const service = status === "healthy" ? ok("service", `version ${version}, healthy`) : problem(
    "service",
    `version ${version}, ${status}: ${reasons.join(" ")}`,
    "See the other findings for what to do.",
  )
  const looked = yield* access(url).pipe(
    Effect.map(({ findings }) => findings),
    Effect.catchTag("NoAnswer", (failure) => Effect.succeed([refused(failure)])),
  )
  return [service, ...looked]
})

const unreachable = (url: string, reason: string): Finding => {
  const advice = certificateAdvice(reason)
  return advice === null
    ? problem(
      "service",
      `${url} does not answer: ${reason}`,
      "Start the service with npm start, or name another one with --url.",
    )
    : problem("service", `the certificate of ${url} is not accepted: ${reason}`, advice)
}

const refused = ({ message, status }: NoAnswer): Finding =>
  status === 401 || status === 403
    ? problem(
      "access",
      message,
      "Set WAVEPOSE_API_KEY to an API key of role operator or admin, or correct the password.",
    )
    : unknown("diagnostics", message, "Run the doctor again. If the result is the same, see the service's log.")

const marks: Readonly<Record<Finding["verdict"], string>> = {
  ok: "ok     ",
  limit: "limit  ",
  problem: "PROBLEM",
  unknown: "unknown",
}

const textOf = ({ advice, check, finding, verdict }: Finding): string =>
  `${marks[verdict]}  ${check}: ${finding}${advice === null ? "" : `\n         ${advice}`}`

/** Prints the findings. Fails if one of them prevents frames. */
export const doctor = Effect.fnUntraced(function* ({ json, url }: DoctorOptions) {
  const findings = yield* examine(url)
  const wrong = findings.filter(({ verdict }) => verdict === "problem" || verdict === "unknown").length
  yield* Console.log(
    json ? JSON.stringify({ healthy: wrong === 0, findings }) : findings.map(textOf).join("\n"),
  )
  if (wrong > 0) {
    return yield* new ProblemsFound({ message: `${wrong} of ${findings.length} findings are problems.` })
  }
})
