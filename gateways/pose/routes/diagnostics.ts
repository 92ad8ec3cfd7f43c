/**
 * Handlers of the diagnostics, which gather the states of the session, the environments, the routers and the datagram listeners, and of the
 * findings, which are judged from two of them.
 *
 * A router that does not answer in time is reported as such and delays no other part.
 */
import { Cause, Clock, Effect } from "effect"
import {
  type DatagramListenerReport,
  diagnosticsBody,
  type RouterReport,
  systemDiagnostics,
} from "../../../protocols/pose-api/diagnostics.ts"
import { systemFindings } from "../../../protocols/pose-api/findings.ts"
import { networkIdentity } from "../../../protocols/domain/node-identity.ts"
import { Directory } from "../../../protocols/ports/directory.ts"
import { EgressStates } from "../../../protocols/ports/egress.ts"
import { KernelReports } from "../../../protocols/ports/kernel-report.ts"
import { NodeIdentities } from "../../../protocols/ports/node-identities.ts"
import { PrivacyClasses } from "../../../protocols/ports/privacy-classes.ts"
import { Router } from "../../../protocols/messages/router.ts"
import { Admission } from "../../datagrams/admission.ts"
import { DatagramListener, type Listening } from "../../datagrams/listener.ts"
import { ask } from "../../../protocols/messages/call-actor.ts"
import { judge } from "../../diagnosis/judge.ts"
import { judgeEgress } from "../../diagnosis/judge-egress.ts"
import { route } from "../server/route.ts"
import { SystemReporter } from "../telemetry/system-report.ts"

const answerMsMax = 2_000
const concurrency = 16

const describeRouters = Effect.gen(function* () {
  const client = yield* Router.client
  const enrolments = yield* (yield* Directory).routers
  return yield* Effect.forEach(
    enrolments,
    ({ environmentId, routerId }) =>
      ask(`Router ${routerId}`, client(routerId).Describe(), answerMsMax).pipe(
        Effect.map((status): RouterReport => ({ routerId, environmentId, status })),
        Effect.catchCause((cause) => {
          const reason = `Router ${routerId} did not answer.`
          return Effect.as(Effect.logDebug(reason, Cause.pretty(cause)), {
            routerId,
            environmentId,
            status: null,
            reason,
          })
        }),
      ),
    { concurrency },
  )
})

const listenerOf = (kind: string, { counts, host, port }: Listening): Effect.Effect<DatagramListenerReport> =>
  Effect.map(counts, (seen) => ({
    kind,
    host,
    port,
    received: seen.received,
    accepted: seen.accepted,
    dropped: { ...seen.dropped },
    routers: seen.routers.map(({ lastReport, ...router }) => ({ ...router, reports: lastReport !== null })),
    foreignSenders: seen.foreignSenders,
  }))

const listeners = Effect.flatMap(
  DatagramListener,
  (listening) => Effect.all([listenerOf("ruview", listening.ruview), listenerOf("nexmon", listening.nexmon)]),
)

const identity = Effect.gen(function* () {
  const { policy } = yield* Admission
  return networkIdentity(yield* (yield* NodeIdentities).all, policy)
})

const describeKernels = Effect.gen(function* () {
  const report = yield* (yield* KernelReports).current
  if (report === null) return null
  const { backend, device, reason, skipped } = report
  return { backend, device, reason, skipped }
})

/** The state of everything at one moment. */
const examine = Effect.suspend(() =>
  Effect.all({
    report: Effect.flatMap(SystemReporter, ({ report }) => report),
    sites: Effect.flatMap(Directory, ({ environments }) => environments),
    routers: describeRouters,
    listeners,
    kernels: describeKernels,
    identity,
  }, { concurrency: "unbounded" })
)

const examination = Effect.gen(function* () {
  const seen = yield* examine
  return diagnosticsBody(seen, yield* Clock.currentTimeMillis)
})

/** @param examinationGapMs time between the two examinations of the findings */
export const makeDiagnosticsRoutes = (examinationGapMs: number) => [
  route(systemDiagnostics, () => examine),
  route(systemFindings, () =>
    Effect.gen(function* () {
      const first = yield* examination
      const last = yield* Effect.delay(examination, examinationGapMs)
      const egress = judgeEgress(last, (yield* PrivacyClasses).of, yield* (yield* EgressStates).current)
      return { timestamp: last.timestamp, findings: [...judge(first, last), ...egress] }
    })),
]
