/**
 * The metrics of a node as registries, for Prometheus' text and for OTLP.
 *
 * Requests are counted as they arrive (`http-counters.ts`). All other values are written into a new registry for each reading, so that a
 * removed environment leaves no series behind. An unknown value has no series, because neither format has nulls. The metrics of the runtime
 * and the cluster follow unchanged.
 */
import type { Context } from "effect"
import { efforts } from "../../../core/pace/effort.ts"
import { latenessOfAge } from "../../../protocols/domain/lateness.ts"
import type { EnvironmentStatus } from "../../../protocols/domain/system.ts"
import type { ClusterReport } from "../../../protocols/ports/cluster-report.ts"
import type { KernelReport } from "../../../protocols/ports/kernel-report.ts"
import type { Reading } from "./load-sampler.ts"
import type { HttpCounters } from "./http-counters.ts"
import { type PortCounts, writeCluster, writeDatagrams, writeKernels } from "./node-metrics.ts"
import { createPage, type Page } from "./metric-page.ts"

export interface Measures extends Reading {
  readonly version: string
  readonly startedMs: number
  readonly database: { readonly latencyMs: number } | null
  readonly httpCounters: HttpCounters
  readonly datagrams: ReadonlyArray<PortCounts>
  /** Null on a node that is alone. */
  readonly cluster: ClusterReport | null
  /** Null on a node that runs no kernels. */
  readonly kernels: KernelReport | null
  /** The registry of the process. */
  readonly process: Context.Context<never>
}

const writeProcess = (page: Page, { sample, startedMs, httpCounters, usage, version }: Measures): void => {
  page.gauge("wavepose_build_info", "Version of the service.", 1, { version })
  page.gauge("process_start_time_seconds", "Start time of this process, Unix time.", startedMs / 1e3)
  page.counter("process_cpu_seconds_total", "Processor time of this process.", usage.cpuS)
  page.gauge("process_resident_memory_bytes", "Memory of this process.", usage.residentBytes)
  page.gauge("wavepose_heap_used_bytes", "JavaScript heap in use.", usage.heapUsedBytes)
  page.gauge(
    "wavepose_event_loop_lag_seconds",
    "Longest event loop delay of the last ten seconds.",
    sample.loopLagMs / 1e3,
  )
  page.counter("wavepose_disk_read_bytes_total", "Bytes that this process read from disks.", usage.diskReadBytes)
  page.counter("wavepose_disk_written_bytes_total", "Bytes that this process wrote to disks.", usage.diskWrittenBytes)
  const { bytesReceived, bytesSent, connections } = httpCounters.totals()
  page.counter("wavepose_http_received_bytes_total", "Bytes from clients, WebSockets included.", bytesReceived)
  page.counter("wavepose_http_sent_bytes_total", "Bytes to clients, WebSockets included.", bytesSent)
  page.gauge("wavepose_http_connections", "Open connections.", connections)
}

const writeEnvironment = (page: Page, status: EnvironmentStatus): void => {
  const labels = { environment_id: status.environmentId }
  const seconds = (ms: number | null) => ms === null ? null : ms / 1e3
  page.counter(
    "wavepose_frames_total",
    "Frames since the start of the environment's actor.",
    status.framesProcessed,
    labels,
  )
  page.gauge("wavepose_frames_per_second", "Frames per second.", status.framesPerSecond, labels)
  page.gauge(
    "wavepose_frame_latency_seconds",
    "Time from the end of a hop to its frame, mean over the last ten seconds.",
    seconds(status.averageLatencyMs),
    labels,
  )
  const lateness = status.frameAgeMs === null ? null : latenessOfAge(status.frameAgeMs)
  const isOne = (yes: boolean) => lateness === null ? null : Number(yes)
  page.gauge(
    "wavepose_newest_frame_age_seconds",
    "Age of the newest frame, corrected for the offset of the source's clock. The age in a replay is relative to its own pace.",
    seconds(status.frameAgeMs),
    labels,
  )
  page.gauge(
    "wavepose_frames_late",
    "1 when the newest frame is late (older than 2 s) or stale.",
    isOne(lateness !== "on_time"),
    labels,
  )
  page.gauge(
    "wavepose_frames_stale",
    "1 when the newest frame is stale (older than 10 s).",
    isOne(lateness === "stale"),
    labels,
  )
  page.gauge(
    "wavepose_inference_seconds",
    "Duration of the last pass of the pose network.",
    seconds(status.inferenceTimeMs),
    labels,
  )
  const { missedHops, routerHops, shedHops } = status.pace
  for (const [stage, hops] of [["environment", shedHops], ["router", routerHops], ["source", missedHops]] as const) {
    page.counter(
      "wavepose_hops_shed_total",
      "Hops left out to stay in real time since the start of the environment's actor: not estimated, dropped late by routers, or left out by a simulation.",
      hops,
      { ...labels, stage },
    )
  }
  page.gauge(
    "wavepose_effort_level",
    "Work left out of each hop to stay in real time: 0 none, 1 refinements, 2 and spectra, 3 and every second hop, 4 three of four hops.",
    efforts.indexOf(status.pace.effort),
    labels,
  )
  page.gauge(
    "wavepose_active_tracks",
    "Persons that are followed; absent while the environment does not count persons.",
    status.activeTracks,
    labels,
  )
  page.gauge("wavepose_routers", "Enrolled routers.", status.routers, labels)
  page.gauge("wavepose_routers_streaming", "Routers that stream CSI.", status.streamingRouters, labels)
  page.gauge("wavepose_csi_packets_per_second", "CSI packets per second.", status.dataRateHz, labels)
  page.gauge("wavepose_csi_packet_loss_ratio", "Fraction of lost CSI packets.", status.packetLoss, labels)
}

/** All metrics. No name is in two of the registries. */
export const metricRegistries = (measures: Measures): ReadonlyArray<Context.Context<never>> => {
  const page = createPage()
  const { cluster, database, datagrams, kernels, report, httpCounters } = measures
  writeProcess(page, measures)
  for (const port of datagrams) writeDatagrams(page, port)
  if (cluster !== null) writeCluster(page, cluster)
  if (kernels !== null) writeKernels(page, kernels)
  page.gauge("wavepose_database_up", "1 if the database answers.", database === null ? 0 : 1)
  page.gauge(
    "wavepose_database_query_seconds",
    "Duration of one round trip to the database.",
    database === null ? null : database.latencyMs / 1e3,
  )
  if (report !== null) {
    const { session } = report
    const running = session === null ? null : session.status === "running" ? 1 : 0
    page.gauge("wavepose_system_running", "1 if the system is running.", running)
    page.gauge(
      "wavepose_actors_given_up",
      "Actors that are unavailable after too many failures.",
      report.unavailableActors.length,
    )
    page.gauge("wavepose_host_cpu_ratio", "Processor usage of the machine, 0 to 1.", report.host.cpu)
    page.gauge("wavepose_host_memory_ratio", "Memory usage of the machine, 0 to 1.", report.host.memory)
    page.gauge("wavepose_host_disk_ratio", "Disk usage, 0 to 1.", report.host.disk)
    for (const { environmentId, status } of report.environments) {
      page.gauge(
        "wavepose_environment_answers",
        "1 if the environment answers; its other metrics are absent while it does not.",
        Number(status !== null),
        { environment_id: environmentId },
      )
      if (status !== null) writeEnvironment(page, status)
    }
  }
  return [page.registry, httpCounters.registry, measures.process]
}
