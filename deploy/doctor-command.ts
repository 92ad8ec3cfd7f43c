/**
 * `wavepose doctor`: looks at a running service twice and says why there are no frames, and what to do.
 *
 * Boundary: it asks over REST like any client; what it finds is judged in `doctor/judge.ts`.
 */
import { Console, Data, Effect, Schema } from "effect"
import { DiagnosticsBody } from "../protocols/http/diagnostics.ts"
import { type Finding, ok, problem, unknown, type Verdict } from "./doctor/finding.ts"
import { judge } from "./doctor/judge.ts"
import { InvalidCommand } from "./play-command.ts"

export interface DoctorOptions {
  /** E.g. `http://127.0.0.1:8000`. */
  readonly url: string
  readonly json: boolean
}

/** Something is wrong with the service; what was found is printed already. */
export class ProblemsFound extends Data.TaggedError("ProblemsFound")<{ readonly message: string }> {}

/** A request that was not answered, or not as expected. */
class NoAnswer extends Data.TaggedError("NoAnswer")<{
  /** Null when nobody answered at all. */
  readonly status: number | null
  readonly message: string
}> {}

/** Between the two looks: thirty hops. */
const watch = "3 seconds"
const answerTimeout = "10 seconds"

const ErrorBody = Schema.Struct({ error: Schema.Struct({ message: Schema.String }) })
const Health = Schema.Struct({ status: Schema.String, version: Schema.String })
const Token = Schema.Struct({ access_token: Schema.String })

type Headers = Readonly<Record<string, string>>

/** Why a request failed: of a connection that was refused the message says it in its cause. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error && cause.message !== "" ? cause.message : error.message
}

/** Asks the service, in the bare form. */
const ask = Effect.fnUntraced(function* <A>(
  url: string,
  path: string,
  schema: Schema.ConstraintDecoder<A>,
  request: { readonly method?: string; readonly headers?: Headers; readonly body?: string } = {},
): Effect.fn.Return<A, NoAnswer> {
  const { json, status } = yield* Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(`${url}/api/v1${path}`, {
        ...request,
        headers: { "x-response-form": "bare", ...request.headers },
        signal,
      })
      return { status: response.status, json: await response.json() as unknown }
    },
    catch: (error) => new NoAnswer({ status: null, message: reasonOf(error) }),
  }).pipe(
    Effect.timeoutOrElse({
      duration: answerTimeout,
      orElse: () => Effect.fail(new NoAnswer({ status: null, message: `no answer within ${answerTimeout}` })),
    }),
  )
  if (status >= 400) {
    const said = Schema.decodeUnknownOption(ErrorBody)(json)
    return yield* new NoAnswer({
      status,
      message: said._tag === "Some" ? said.value.error.message : `status ${status}`,
    })
  }
  return yield* Schema.decodeUnknownEffect(schema)(json).pipe(
    Effect.mapError(() => new NoAnswer({ status, message: "the answer is not that of a wavepose service" })),
  )
})

/** The headers of the caller that the environment's variables name. */
const signIn = Effect.fnUntraced(function* (url: string): Effect.fn.Return<Headers, NoAnswer | InvalidCommand> {
  const { WAVEPOSE_ADMIN_PASSWORD: password, WAVEPOSE_ADMIN_USERNAME: username, WAVEPOSE_API_KEY: key } = process.env
  if (key !== undefined && key !== "") return { "x-api-key": key }
  if (password === undefined || password === "") {
    return yield* new InvalidCommand({
      message: "Set WAVEPOSE_API_KEY to an API key of role operator, or WAVEPOSE_ADMIN_PASSWORD (and _USERNAME): the " +
        "diagnostics are not for everybody.",
    })
  }
  const { access_token } = yield* ask(url, "/auth/token", Token, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: username ?? "admin", password }),
  })
  return { authorization: `Bearer ${access_token}` }
})

const access = (url: string) =>
  Effect.flatMap(signIn(url), (headers) => {
    const look = ask(url, "/system/diagnostics", DiagnosticsBody, { headers })
    return Effect.all([look, Effect.delay(look, watch)])
  })

/** What could be found, from the outermost door inwards. */
const examine = Effect.fnUntraced(function* (url: string): Effect.fn.Return<ReadonlyArray<Finding>, InvalidCommand> {
  const health = yield* Effect.result(ask(url, "/health", Health))
  if (health._tag === "Failure") {
    return [problem(
      "service",
      `${url} does not answer: ${health.failure.message}`,
      "Start the service (npm start), or name another one with --url.",
    )]
  }
  const { status, version } = health.success
  const service = status === "healthy"
    ? ok("service", `version ${version}, healthy`)
    : problem("service", `version ${version}, ${status}: its store does not answer`, "Check the database.")
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
