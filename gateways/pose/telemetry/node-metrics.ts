/** The metrics of a node's datagram ports, of its kernels and of its part in the cluster. */
import type { ClusterReport } from "../../../protocols/ports/cluster-report.ts"
import type { KernelReport } from "../../../protocols/ports/kernel-report.ts"
import type { ListenerCounts } from "../../datagrams/counts.ts"
import type { Page } from "./metric-page.ts"

/** The counts of a datagram port, and the kind of its datagrams. */
export interface PortCounts {
  readonly kind: string
  readonly counts: ListenerCounts
}

export const writeDatagrams = (page: Page, { counts, kind }: PortCounts): void => {
  page.counter("wavepose_datagrams_received_total", "Datagrams that arrived.", counts.received, { kind })
  page.counter(
    "wavepose_datagram_frames_accepted_total",
    "CSI frames of datagrams that routers took.",
    counts.accepted,
    {
      kind,
    },
  )
  for (const [reason, dropped] of Object.entries(counts.dropped)) {
    page.counter("wavepose_datagrams_dropped_total", "Dropped datagrams or their CSI frames, by reason.", dropped, {
      kind,
      reason,
    })
  }
  for (const { droppedFrames, routerId } of counts.routers) {
    page.counter(
      "wavepose_router_datagram_frames_dropped_total",
      "Dropped CSI frames of a router's datagrams.",
      droppedFrames,
      {
        kind,
        router_id: routerId,
      },
    )
  }
  for (const { address, datagrams } of counts.limitedSenders) {
    page.counter(
      "wavepose_sender_datagrams_limited_total",
      "Datagrams of a sender that were dropped, because it sent more than one may. Only the 64 that were limited last are known; one that was forgotten starts at 0.",
      datagrams,
      { kind, address },
    )
  }
}

export const writeKernels = (page: Page, { backend, lost }: KernelReport): void => {
  page.gauge("wavepose_kernels_backend", "1 for the backend on which this node computes.", 1, { backend })
  page.counter(
    "wavepose_kernels_backends_lost_total",
    "Backends of kernels that were lost since the start of this node.",
    lost,
  )
}

export const writeCluster = (page: Page, report: ClusterReport): void => {
  page.gauge(
    "wavepose_cluster_nodes",
    "Healthy nodes, as this node last saw them.",
    report.members.filter(({ healthy }) => healthy).length,
  )
  page.gauge("wavepose_cluster_shards", "Shards that this node holds.", report.shards)
  page.counter(
    "wavepose_cluster_shards_acquired_total",
    "Shards that moved to this node since its start.",
    report.acquired,
  )
  page.counter(
    "wavepose_cluster_shards_released_total",
    "Shards that this node released since its start.",
    report.released,
  )
  page.counter(
    "wavepose_cluster_locks_lost_total",
    "Locks of shards that were no longer there at a refresh, since the start of this node.",
    report.lost,
  )
  page.counter(
    "wavepose_cluster_lock_refresh_failures_total",
    "Refreshes of the locks that failed or came too late, since the start of this node.",
    report.refreshFailures,
  )
  page.gauge(
    "wavepose_cluster_lock_refresh_seconds",
    "Duration of the last refresh of the locks.",
    report.refreshMs === null ? null : report.refreshMs / 1e3,
  )
}
