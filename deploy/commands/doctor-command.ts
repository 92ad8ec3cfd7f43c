/**
 * `wavepose doctor`: asks a running service for its findings: why no frames are made, and what to do.
 *
 * Boundary: it is a REST client like any other. The service judges (`gateways/diagnosis`); only an unreachable service is judged here.
 */
import { Console, Data, Effect, Schema } from "effect"
import { ok, problem, unknown } from "../../gateways/diagnosis/finding.ts"
import { silentStore } from "../../gateways/diagnosis/judge.ts"
import { type Finding, FindingsBody } from "../../protocols/pose-api/findings.ts"
import { storeSilentText } from "../../protocols/pose-api/health.ts"
import type { InvalidCommand } from "../settings/invalid-command.ts"
import { ServiceSilent } from "../settings/service-silent.ts"
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
  Effect.scoped(Effect.flatMap(
    signIn(url, "the diagnostics need the role operator."),
    (headers) => askService(url, "/system/findings", FindingsBody, { headers, timeoutMs }),
  ))

interface Examined {
  /** From the network edge inwards. */
  readonly findings: ReadonlyArray<Finding>
  /** Nothing answers at the address. */
  readonly isSilent: boolean
}

const examine = Effect.fnUntraced(function* (url: string): Effect.fn.Return<Examined, InvalidCommand> {
  const health = yield* Effect.result(askService(url, "/health", Health))
  if (health._tag === "Failure") return unreachable(url, health.failure)
  const { reasons = [storeSilentText], status, version } = health.success
  const service = status === "healthy" ? ok("service", `version ${version}, healthy`) : problem(
    "service",
    `version ${version}, ${status}: ${reasons.join(" ")}`,
    "See the other findings for what to do.",
  )
  const looked = yield* access(url).pipe(
    Effect.map(({ findings }) => findings),
    Effect.catchTag("NoAnswer", (failure) => Effect.succeed([refused(failure, !reasons.includes(storeSilentText))])),
  )
  return { findings: [service, ...looked], isSilent: false }
})

const unreachable = (url: string, { message, status }: NoAnswer): Examined => {
  const advice = certificateAdvice(message)
  if (advice !== null) {
    const finding = problem("service", `the certificate of ${url} is not accepted: ${message}`, advice)
    return { findings: [finding], isSilent: false }
  }
  const finding = problem(
    "service",
    `${url} does not answer: ${message}`,
    "Start one with `wavepose start`, or name another one with --url.",
  )
  return { findings: [finding], isSilent: status === null }
}

/** Why the service gave no findings. */
const refused = ({ message, status }: NoAnswer, storeAnswers: boolean): Finding => {
  if (status === 401 || status === 403) {
    return problem(
      "access",
      message,
      "Set WAVEPOSE_API_KEY to an API key of role operator or admin, or correct the password.",
    )
  }
  if (!storeAnswers) return silentStore
  return unknown("diagnostics", message, "Run the doctor again. If the result is the same, see the service's log.")
}

const marks: Readonly<Record<Finding["verdict"], string>> = {
  ok: "ok     ",
  limit: "limit  ",
  problem: "PROBLEM",
  unknown: "unknown",
}

const textOf = ({ advice, check, finding, verdict }: Finding): string =>
  `${marks[verdict]}  ${check}: ${finding}${advice === null ? "" : `\n         ${advice}`}`

/** Prints the findings. Fails if one of them prevents frames, and as other commands do if nothing answers. */
export const doctor = Effect.fnUntraced(function* ({ json, url }: DoctorOptions) {
  const { findings, isSilent } = yield* examine(url)
  const wrong = findings.filter(({ verdict }) => verdict === "problem" || verdict === "unknown").length
  yield* Console.log(
    json ? JSON.stringify({ healthy: wrong === 0, findings }) : findings.map(textOf).join("\n"),
  )
  if (isSilent) return yield* new ServiceSilent({ message: `No service answers at ${url}.` })
  if (wrong > 0) {
    return yield* new ProblemsFound({ message: `${wrong} of ${findings.length} findings are problems.` })
  }
})
