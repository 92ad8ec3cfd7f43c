/**
 * Handlers of the diagnostics, which gather the states of the session, the environments, the routers and the datagram listeners, and of the
 * findings, which are judged from two of them.
 *
 * A router that does not answer in time is reported as such and delays no other part.
 */
import { Cause, Clock, Effect } from "effect"
import { diagnosticsBody, type RouterReport, systemDiagnostics } from "../../../protocols/pose-api/diagnostics.ts"
import type { DatagramListenerReport } from "../../../protocols/pose-api/datagram-port.ts"
import { systemFindings } from "../../../protocols/pose-api/findings.ts"
import { networkIdentity } from "../../../protocols/domain/node-identity.ts"
import type { RouterEnrolment } from "../../../protocols/domain/site.ts"
import { EgressStates } from "../../../protocols/ports/egress.ts"
import { KernelReports } from "../../../protocols/ports/kernel-report.ts"
import { PrivacyClasses } from "../../../protocols/ports/privacy-classes.ts"
import { Router } from "../../../protocols/messages/router.ts"
import { Admission } from "../../datagrams/admission.ts"
import { DatagramListener, type Listening } from "../../datagrams/listener.ts"
import { ask } from "../../../protocols/messages/call-actor.ts"
import { judge } from "../../diagnosis/judge.ts"
import { judgeEgress } from "../../diagnosis/judge-egress.ts"
import { route } from "../server/route.ts"
import { Inventory } from "../telemetry/inventory.ts"
import { SystemReporter } from "../telemetry/system-report.ts"

const answerMsMax = 2_000
const concurrency = 16

const describeRouters = Effect.fnUntraced(function* (enrolments: ReadonlyArray<RouterEnrolment>) {
  const client = yield* Router.client
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

const describeKernels = Effect.gen(function* () {
  const report = yield* (yield* KernelReports).current
  if (report === null) return null
  const { backend, device, reason, skipped } = report
  return { backend, device, reason, skipped }
})

/** The state of everything at one moment; while the database does not answer, of what was enrolled when it last did. */
const examine = Effect.gen(function* () {
  const { environments, identities, routers } = yield* Inventory
  const { policy } = yield* Admission
  const reporter = yield* SystemReporter
  const { listed, ...seen } = yield* Effect.all({
    report: reporter.knownReport,
    listed: Effect.all({ environments, routers, identities }, { concurrency: "unbounded" }),
    listeners,
    kernels: describeKernels,
  }, { concurrency: "unbounded" })
  const earlierMs = Object.values(listed).flatMap(({ asOfMs }) => asOfMs ?? [])
  return {
    ...seen,
    sites: listed.environments.items,
    routers: yield* describeRouters(listed.routers.items),
    identity: networkIdentity(listed.identities.items, policy),
    listedMs: earlierMs.length === 0 ? null : Math.min(...earlierMs),
  }
})

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
