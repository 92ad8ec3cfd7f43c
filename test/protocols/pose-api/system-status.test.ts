import { describe, expect, it } from "vitest"
import { defaultStartOptions } from "../../../protocols/domain/system.ts"
import { bareStatusCodec, envelopeStatusCodec, type SystemReport } from "../../../protocols/pose-api/system-status.ts"
import { systemSummary } from "../../../protocols/pose-api/system-summary.ts"
import { makeStatus } from "../../gateways/pose/world.ts"

const nowMs = 100_000

const report = (over: Partial<SystemReport> = {}): SystemReport => ({
  session: {
    status: "running",
    sessionId: "s",
    startedAtMs: 40_000,
    estimatedReadyMs: null,
    steps: [],
    options: defaultStartOptions,
    failure: null,
  },
  environments: [{ environmentId: "a", status: makeStatus("a") }],
  database: { used: 2, capacity: 10 },
  unavailableActors: [],
  host: { cpu: 0.123456, memory: 0.5, disk: null },
  version: "1",
  ...over,
})

const stopped = (): SystemReport => ({ ...report(), session: { ...report().session, status: "stopped" } })
const silent = { environmentId: "b", status: null, reason: "b did not answer" } as const

const bare = (of: SystemReport) => JSON.parse(bareStatusCodec.text(of, nowMs))
const envelope = (of: SystemReport) => JSON.parse(envelopeStatusCodec.text(of, nowMs))

describe("components", () => {
  const statuses = (of: SystemReport) => {
    const { csi_receiver, neural_network, tracking } = bare(of).components
    return [csi_receiver.status, neural_network.status, tracking.status]
  }

  it("are active while everything streams; a missing network is not reported", () => {
    expect(statuses(report())).toEqual(["active", "disabled", "active"])
    const inferring = { ...makeStatus("a"), modelVersion: "wavepose-1" }
    expect(statuses(report({ environments: [{ environmentId: "a", status: inferring }] }))[1]).toBe("active")
  })

  it("are degraded if a router or an environment is silent", () => {
    const halved = { ...makeStatus("a"), streamingRouters: 1 }
    expect(statuses(report({ environments: [{ environmentId: "a", status: halved }] }))[0]).toBe("degraded")
    expect(statuses(report({ environments: [...report().environments, silent] }))).toEqual([
      "degraded",
      "disabled",
      "degraded",
    ])
  })

  it("are unavailable if nothing streams, with the reason", () => {
    const waiting = { ...makeStatus("a"), streamingRouters: 0, noFramesReason: "no router streams" }
    const { csi_receiver } = bare(report({ environments: [{ environmentId: "a", status: waiting }] })).components
    expect(csi_receiver).toMatchObject({ status: "unavailable", reason: "no router streams" })
    expect(statuses(report({ environments: [silent] }))).toEqual(["unavailable", "disabled", "unavailable"])
  })

  it("are disabled while the system is not running", () => {
    expect(statuses(stopped())).toEqual(["disabled", "disabled", "disabled"])
  })
})

describe("figures", () => {
  it("have no number of tracks where no environment counts persons, and say why", () => {
    const one = { environmentId: "a", status: { ...makeStatus("a"), activeTracks: null, framesPerSecond: null } }
    const of = report({ environments: [one] })
    expect(bare(of).components.tracking.active_tracks).toBeNull()
    expect(bare(of).reasons["components.tracking.active_tracks"]).toContain("too few links")
    expect(envelope(of).components.tracker.active_tracks).toBeNull()
    expect(envelope(of).reasons["components.tracker.active_tracks"]).toContain("too few links")
    expect(bare(stopped()).components.tracking.active_tracks).toBe(2)
    const summary = systemSummary(of)
    expect(summary).toMatchObject({ active_persons: null, processing_fps: null, gpu_utilization: null })
    expect(Object.keys(summary.reasons).toSorted()).toEqual(["active_persons", "gpu_utilization", "processing_fps"])
    expect(systemSummary({ ...of, session: stopped().session }).reasons["active_persons"]).toContain("stopped")
  })

  it("are sums, means and the latest over environments, and null if not measured", () => {
    const second = { ...makeStatus("b"), dataRateHz: null, packetLoss: 0.03, lastPacketMs: 1, rssiDbm: null }
    const body = bare(report({
      environments: [{ environmentId: "a", status: makeStatus("a") }, { environmentId: "b", status: second }],
    }))
    expect(body.components.csi_receiver).toMatchObject({
      data_rate_hz: 99.5,
      packet_loss_rate: 0.02,
      last_packet_time: "2026-01-05T09:30:00.000Z",
    })
    expect(body.network).toEqual({ connected_routers: 4, signal_strength: -48.5, interference_level: null })
    expect(body.hardware).toEqual({ cpu_usage: 0.1235, memory_usage: 0.5, gpu_memory_usage: null, disk_usage: null })
    expect(bare(report({ environments: [] })).network.signal_strength).toBeNull()
  })

  it("count the uptime of the session, and 0 while it is stopped", () => {
    expect(bare(report()).uptime_seconds).toBe(60)
    expect(bare(stopped()).uptime_seconds).toBe(0)
  })

  it("include the connections of the store if it counts them", () => {
    expect(envelope(report()).components.database).toEqual({ status: "healthy", connection_pool: "2/10" })
    expect(envelope(report({ database: { used: null, capacity: 10 } })).components.database.connection_pool).toBeNull()
    expect(envelope(report({ database: null })).components.database.status).toBe("unavailable")
  })
})

describe("the summary", () => {
  const health = (of: SystemReport) => systemSummary(of).system_health

  it("names an unavailable actor", () => {
    const unavailableActors = [{ actor: "Router/r1", untilMs: 1, cause: "secret detail" }]
    expect(health(report({ unavailableActors }))).toBe("degraded")
    expect(bare(report({ unavailableActors })).failure).toMatch(/^Router\/r1 failed too often/)
    expect(envelope(report({ unavailableActors })).failure).not.toContain("secret")
    expect(bare(report()).failure).toBe(null)
  })

  it("is healthy only if everything that should work does", () => {
    expect(health(report())).toBe("healthy")
    expect(health(report({ database: null }))).toBe("degraded")
    expect(health(report({ environments: [silent] }))).toBe("unavailable")
    expect(health(stopped())).toBe("disabled")
    expect(health({ ...report(), session: { ...report().session, status: "error" } })).toBe("unavailable")
  })
})
