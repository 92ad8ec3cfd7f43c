/** Endpoint of the group System control with the facts about missing frames, from listeners to environments. See also `findings.ts`. */
import { Schema } from "effect"
import { backendNames, type KernelReport } from "../ports/kernel-report.ts"
import { arrayFindingsOf } from "../domain/array-findings.ts"
import { stages } from "../domain/behind.ts"
import { Lateness, latenessOfAge } from "../domain/lateness.ts"
import type { NetworkIdentity } from "../domain/node-identity.ts"
import type { Environment } from "../domain/site.ts"
import { SystemStatusValue } from "../domain/system.ts"
import { RouterState, type RouterStatus } from "../messages/router.ts"
import { type DatagramListenerReport, DatagramPortBody, datagramPortBody } from "./datagram-port.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Count, NullableFinite, NullableString } from "./fields.ts"
import { IsoTime, isoTime, isoTimeOrNull } from "./forms.ts"
import { PaceBody, paceBody } from "./pace.ts"
import { NetworkIdentityBody, networkIdentityBody } from "./sensing-nodes.ts"
import type { KnownReport } from "./system-status.ts"

/** The status of one router, or why it did not answer. */
export type RouterReport =
  | { readonly routerId: string; readonly environmentId: string; readonly status: RouterStatus }
  | { readonly routerId: string; readonly environmentId: string; readonly status: null; readonly reason: string }

interface Diagnostics {
  readonly report: KnownReport
  readonly sites: ReadonlyArray<Environment>
  readonly routers: ReadonlyArray<RouterReport>
  readonly listeners: ReadonlyArray<DatagramListenerReport>
  /** The kernel report of the answering node; null if it runs no kernels. */
  readonly kernels: Omit<KernelReport, "lost"> | null
  readonly identity: NetworkIdentity
  /** When environments, routers and identities were read, if the database does not answer; null: now. */
  readonly listedMs: number | null
}

const EnvironmentBody = Schema.Struct({
  environment_id: Schema.String,
  name: Schema.String,
  geometry_nodes: Schema.NullOr(Schema.Array(Schema.String)).annotate({
    description: "Ids of the routers and transmitters with known positions; null without a geometry.",
  }),
  array_findings: Schema.Array(Schema.String),
  misplaced_nodes: Schema.Array(Schema.String).annotate({
    description: "Those of the nodes whose links contradict the geometry: persons are located without them.",
  }),
  uncalibrated_receivers: Schema.Array(Schema.String).annotate({
    description: "Routers whose antennas cannot be calibrated: persons are located without what these receive.",
  }),
  active: Schema.Boolean,
  answers: Schema.Boolean.annotate({
    description: "False: the environment does not answer, so its figures are not known; `no_frames_reason` says so.",
  }),
  streaming_routers: Count,
  frames_processed: Count,
  frames_per_second: NullableFinite,
  last_packet_time: Schema.NullOr(IsoTime),
  no_frames_reason: NullableString,
  frame_age_ms: NullableFinite.annotate({
    description: "Age of the newest frame in ms, from which its lateness follows; null if the session has no frame.",
  }),
  lateness: Schema.NullOr(Lateness),
  behind: Schema.NullOr(Schema.Struct({
    stage: Schema.Literals(stages),
    finding: Schema.String,
    advice: Schema.String,
  })).annotate({ description: "The stage that is behind; null if frames are on time." }),
  pace: PaceBody,
})

const RouterBody = Schema.Struct({
  router_id: Schema.String,
  environment_id: Schema.String,
  reason: NullableString.annotate({ description: "Why the router's actor did not answer; null if it did." }),
  state: Schema.NullOr(RouterState),
  packet_rate_hz: NullableFinite,
  packet_loss_rate: NullableFinite,
  last_packet_time: Schema.NullOr(IsoTime),
  clock_offset_ms: NullableFinite.annotate({
    description:
      "Milliseconds by which its clock is ahead of the service's: of its packets, the most by which one's time was ahead on arrival. So late packets do not change it.",
  }),
  accepted_frames: Count,
  dropped_frames: Count,
  shed_frames: Count.annotate({ description: "Those of the dropped frames that were left out to stay in real time." }),
  given_up_hops: Count,
  transmitters: Schema.Array(Schema.String),
  channel: Schema.NullOr(Schema.Struct({
    format: Schema.String,
    center_frequency_hz: Schema.Finite,
    bandwidth_hz: Schema.Finite,
    receive_antennas: Count,
    subcarriers: Count,
  })),
  left_out: Schema.Struct({ late: Count, invalid: Count, overflow: Count, other_layout: Count, links_full: Count })
    .annotate({ description: "Number of dropped CSI frames, by reason." }),
  clock_restarts: Count,
  gain_steps: Count,
  channel_changes: Count,
  calibration: Schema.NullOr(Schema.Struct({
    version: Count,
    links: Count,
    calibrated_links: Count,
    stale_reason: NullableString,
    running: Schema.Boolean,
  })),
})

/** The body of the answer in both forms. */
export const DiagnosticsBody = Schema.Struct({
  timestamp: IsoTime,
  version: Schema.String,
  system: Schema.NullOr(Schema.Struct({
    status: SystemStatusValue,
    failure: NullableString,
    environment_id: NullableString.annotate({ description: "The environment that the session runs; null: all." }),
  })).annotate({ description: "Null: the session does not answer." }),
  system_reason: Schema.optionalKey(Schema.String).annotate({ description: "Only if `system` is null: why." }),
  store_answers: Schema.Boolean,
  listed_time: Schema.optionalKey(IsoTime).annotate({
    description:
      "Only if the database does not answer: when this node read the lists of environments, routers and sensing nodes last.",
  }),
  given_up_actors: Schema.Array(Schema.String),
  environments: Schema.Array(EnvironmentBody),
  routers: Schema.Array(RouterBody),
  datagrams: Schema.Array(DatagramPortBody).annotate({ description: "Datagram ports of the answering node." }),
  kernels: Schema.NullOr(Schema.Struct({
    backend: Schema.Literals(backendNames),
    device: Schema.String,
    reason: Schema.String,
    skipped: Schema.Array(Schema.Struct({ backend: Schema.Literals(backendNames), reason: Schema.String })),
  })).annotate({
    description: "Backend on which the answering node runs its kernels, and why; null if it runs none.",
  }),
  node_identity: NetworkIdentityBody,
})
export type DiagnosticsBody = typeof DiagnosticsBody.Type

const environmentBody = ({ report }: Diagnostics, site: Environment): DiagnosticsBody["environments"][number] => {
  const said = report.environments.find(({ environmentId }) => environmentId === site.environmentId)
  const status = said?.status ?? null
  const ageMs = status?.frameAgeMs ?? null
  const behind = said === undefined || said.status === null ? null : said.behind ?? null
  return {
    environment_id: site.environmentId,
    name: site.name,
    geometry_nodes: site.geometry === null ? null : site.geometry.nodes.map(({ nodeId }) => nodeId),
    array_findings: status === null ? [] : arrayFindingsOf(status.arrays),
    misplaced_nodes: status?.arrays.misplaced ?? [],
    uncalibrated_receivers: status?.arrays.uncalibrated ?? [],
    active: status?.active ?? false,
    answers: said === undefined || said.status !== null,
    streaming_routers: status?.streamingRouters ?? 0,
    frames_processed: status?.framesProcessed ?? 0,
    frames_per_second: status?.framesPerSecond ?? null,
    last_packet_time: isoTimeOrNull(status?.lastPacketMs ?? null),
    no_frames_reason: said === undefined
      ? "The session does not run in this environment."
      : said.status === null
      ? said.reason
      : said.status.noFramesReason,
    frame_age_ms: ageMs === null ? null : Math.round(ageMs),
    lateness: ageMs === null ? null : latenessOfAge(ageMs),
    behind: behind === null ? null : { stage: behind.stage, finding: behind.finding, advice: behind.advice },
    pace: paceBody(status),
  }
}

const noFaults = { late: 0, invalid: 0, overflow: 0, otherLayout: 0, linksFull: 0 }
const noCounters = { ...noFaults, clockRestarts: 0, gainSteps: 0, channelChanges: 0 }

const routerBody = (router: RouterReport): DiagnosticsBody["routers"][number] => {
  const { status } = router
  const { invalid, late, linksFull, otherLayout, overflow, ...changes } = status?.counters ?? noCounters
  const lagMs = status?.clockLagMs ?? null
  const arrivedMs = status?.lastPacketMs ?? null
  return {
    router_id: router.routerId,
    environment_id: router.environmentId,
    reason: router.status === null ? router.reason : null,
    state: status?.state ?? null,
    packet_rate_hz: status?.packetRateHz ?? null,
    packet_loss_rate: status?.packetLoss ?? null,
    last_packet_time: isoTimeOrNull(arrivedMs),
    clock_offset_ms: lagMs === null ? null : Math.round(-lagMs),
    accepted_frames: status?.acceptedFrames ?? 0,
    dropped_frames: status?.droppedFrames ?? 0,
    shed_frames: status?.shedFrames ?? 0,
    given_up_hops: status?.givenUpHops ?? 0,
    transmitters: status?.transmitterIds ?? [],
    channel: status === null || status.channel === null ? null : {
      format: status.channel.format,
      center_frequency_hz: status.channel.centerFrequencyHz,
      bandwidth_hz: status.channel.bandwidthHz,
      receive_antennas: status.channel.receiveAntennas,
      subcarriers: status.channel.subcarriers,
    },
    left_out: { late, invalid, overflow, other_layout: otherLayout, links_full: linksFull },
    clock_restarts: changes.clockRestarts,
    gain_steps: changes.gainSteps,
    channel_changes: changes.channelChanges,
    calibration: status === null ? null : {
      version: status.calibration.version,
      links: status.calibration.links,
      calibrated_links: status.calibration.calibratedLinks,
      stale_reason: status.calibration.stale,
      running: status.calibration.running !== null,
    },
  }
}

const systemBody = (report: KnownReport): Pick<DiagnosticsBody, "system" | "system_reason"> => {
  if (report.session === null) return { system: null, system_reason: report.reason }
  const { failure, options, status } = report.session
  return { system: { status, failure, environment_id: options.environmentId } }
}

export const diagnosticsBody = (diagnostics: Diagnostics, nowMs: number): DiagnosticsBody => {
  const { identity, kernels, listedMs, listeners, report, routers, sites } = diagnostics
  return {
    timestamp: isoTime(nowMs),
    version: report.version,
    ...systemBody(report),
    store_answers: report.database !== null,
    ...(listedMs === null ? {} : { listed_time: isoTime(listedMs) }),
    given_up_actors: report.unavailableActors.map(({ actor }) => actor),
    environments: sites.map((site) => environmentBody(diagnostics, site)),
    routers: routers.map(routerBody),
    datagrams: listeners.map(datagramPortBody),
    kernels,
    node_identity: networkIdentityBody(identity),
  }
}

const codec = jsonCodec(DiagnosticsBody, diagnosticsBody)

export const systemDiagnostics = endpoint({
  method: "GET",
  path: "/system/diagnostics",
  group: "System control",
  summary: "Get diagnostics about missing frames",
  access: "write:configuration",
  credentials: "recent",
  category: "health",
  status: 200,
  response: { bare: codec, envelope: codec },
  failures: ["StoreUnavailable"],
})
