/** What the doubles behind a pose gateway answer, which a test changes. */
import type { KernelReport } from "../../../protocols/ports/kernel-report.ts"
import { type Effect, Queue, Stream } from "effect"
import { noCounts } from "../../../core/reduction/reducer-counters.ts"
import type { HomePlugins } from "../../../protocols/ports/home-plugins.ts"
import type { ClusterReport } from "../../../protocols/ports/cluster-report.ts"
import type { ListenerCounts } from "../../../gateways/datagrams/counts.ts"
import type { SharedFrame } from "../../../gateways/frames/shared-frame.ts"
import { defaultConfiguration } from "../../../protocols/domain/configuration.ts"
import type { RoomLabel } from "../../../protocols/domain/label.ts"
import type { Alert } from "../../../protocols/domain/event.ts"
import { NoFrames, SystemNotRunning, UnknownEnvironment } from "../../../protocols/domain/failure.ts"
import type { ApiKey } from "../../../protocols/domain/identity.ts"
import type { NodeIdentity } from "../../../protocols/domain/node-identity.ts"
import type { Environment as Site } from "../../../protocols/domain/site.ts"
import type { TrackRecord } from "../../../protocols/domain/track.ts"
import { defaultStartOptions, type EnvironmentStatus, type SystemSession } from "../../../protocols/domain/system.ts"
import type { Webhook } from "../../../protocols/domain/webhook.ts"
import type { ConfigurationChange } from "../../../protocols/ports/configuration.ts"
import type { IngestResult, RouterStatus } from "../../../protocols/messages/router.ts"
import type { ConfigurationState } from "../../../protocols/messages/session.ts"
import type { StoredHomeToken } from "../../../protocols/ports/home-tokens.ts"
import { makeFrame, share } from "./frames.ts"

export interface World {
  session: SystemSession
  /** The session does not answer. */
  sessionSilent: boolean
  /** Models whose weights are there and cannot be used. */
  readonly brokenModels: Set<string>
  configuration: ConfigurationState
  /** The record of changes, the newest first. */
  readonly changes: Array<ConfigurationChange>
  readonly webhooks: Map<string, Webhook>
  /** What runs the kernels. */
  kernels: KernelReport | null
  /** The nodes that send datagrams. */
  readonly nodes: Map<string, NodeIdentity>
  /** Why a change of the configuration is not obeyed; null: it is. */
  disobeys: string | null
  environments: Array<Site>
  /** The routers of environments that a test created or changed; of any other it is `node-1`. */
  readonly enrolledRouters: Map<string, ReadonlyArray<string>>
  /** Actors that were notified of a change of an environment. */
  readonly notified: Array<string>
  /** What an environment describes; "silent" never answers, "broken" dies. */
  describe: (environmentId: string) => EnvironmentStatus | "silent" | "broken"
  /** The track of an id that an environment follows; null for none; "broken" dies. */
  track: (environmentId: string, trackId: number) => TrackRecord | null | "broken"
  /** The routers that are enrolled, and what they say of themselves. */
  readonly routers: Map<string, RouterStatus>
  /** Encoded batches that routers were given. */
  readonly batches: Array<Uint8Array>
  /** What a router answers to a batch. */
  ingest: IngestResult
  /** What the node reports of its cluster; null: it is alone. */
  cluster: ClusterReport | null
  /** The states of plugins; null: the home does not answer. */
  plugins: Effect.Success<HomePlugins["Service"]["states"]> | null
  /** Cards of models, by version. */
  cards: ReadonlyMap<string, string>
  /** What the doors for datagrams have seen. */
  readonly datagrams: Record<"ruview" | "nexmon", ListenerCounts>
  latest: (environmentId: string) => SharedFrame | NoFrames | SystemNotRunning | UnknownEnvironment | "broken"
  storeFails: boolean
  readonly stopping: { current: boolean }
  /** The newest frame is answered after this; null: at once. */
  gate: Promise<void> | null
  apiKeys: Map<string, ApiKey>
  readonly homeTokens: Map<string, StoredHomeToken>
  /** Ids of sign-ins and API keys that were revoked. */
  readonly revoked: Set<string>
  /** What the gateway logged at level Warn and above. */
  readonly logged: Array<string>
  /** All that was logged, of every level. */
  readonly lines: Array<string>
  /** Hands a frame to every watcher of its environment. */
  readonly publish: (frame: SharedFrame) => void
  /** The alerts of an environment. */
  alerts: (environmentId: string) => Stream.Stream<Alert | null, UnknownEnvironment>
  /** The alerts in the store, the newest first. */
  storedAlerts: ReadonlyArray<Alert>
  /** The labels in the store. */
  labels: ReadonlyArray<RoomLabel>
  /** Whether an alert can be acknowledged, and by whom it was. */
  acknowledges: boolean
  readonly acknowledged: Array<{ readonly alertId: string; readonly by: string }>
  /** Environments that are watched now, and by how many. */
  readonly watched: Map<string, Set<Queue.Queue<SharedFrame, UnknownEnvironment>>>
}

export const makeStatus = (environmentId: string): EnvironmentStatus => ({
  environmentId,
  active: true,
  routers: 2,
  streamingRouters: 2,
  dataRateHz: 99.5,
  packetLoss: 0.01,
  rssiDbm: -48.5,
  lastPacketMs: Date.UTC(2026, 0, 5, 9, 30),
  framesProcessed: 120,
  framesPerSecond: 10,
  frameAgeMs: 120,
  observationAgeMs: 110,
  framesWaiting: 0,
  pace: { effort: "full", shedHops: 0, routerHops: 0, missedHops: 0, sheds: false },
  source: "simulated",
  averageLatencyMs: 31.5,
  modelVersion: null,
  inferenceTimeMs: null,
  activeTracks: 2,
  trackQuality: 0.8,
  arrays: { stopped: null, misplaced: [], uncalibrated: [], selfCalibrated: [] },
  noFramesReason: null,
})

export const makeRouterStatus = (routerId: string, over: Partial<RouterStatus> = {}): RouterStatus => ({
  routerId,
  environmentId: "living-room",
  state: "streaming",
  packetRateHz: 99.5,
  packetLoss: 0.01,
  lastPacketMs: Date.UTC(2026, 0, 5, 9, 30),
  lastEventMs: Date.UTC(2026, 0, 5, 9, 30),
  clockOffsetMs: 0,
  clockLagMs: 0,
  transmitterIds: ["ap"],
  acceptedFrames: 1000,
  droppedFrames: 0,
  shedFrames: 0,
  givenUpHops: 0,
  channel: {
    format: "esp32-csi-tool",
    centerFrequencyHz: 2437e6,
    bandwidthHz: 20e6,
    receiveAntennas: 1,
    subcarriers: 51,
  },
  counters: noCounts(),
  calibration: {
    version: 1,
    takenAtMs: Date.UTC(2026, 0, 4),
    links: 2,
    calibratedLinks: 2,
    twoSidedLinks: 0,
    stale: null,
    running: null,
  },
  ...over,
})

const noDatagrams: ListenerCounts = {
  received: 0,
  accepted: 0,
  dropped: {},
  routers: [],
  foreignSenders: [],
  limitedSenders: [],
}

export const makeWorld = (): World => {
  const watched: World["watched"] = new Map()
  return {
    session: {
      status: "running",
      sessionId: "session-1",
      startedAtMs: Date.UTC(2026, 0, 5),
      estimatedReadyMs: null,
      steps: [],
      options: defaultStartOptions,
      failure: null,
    },
    sessionSilent: false,
    brokenModels: new Set(),
    configuration: { revision: 3, configuration: defaultConfiguration },
    changes: [],
    webhooks: new Map(),
    kernels: null,
    nodes: new Map(),
    disobeys: null,
    environments: [{ environmentId: "living-room", name: "Living room", geometry: null }],
    enrolledRouters: new Map(),
    notified: [],
    describe: makeStatus,
    track: () => null,
    routers: new Map(["node-1", "node-2"].map((id) => [id, makeRouterStatus(id)])),
    batches: [],
    ingest: { acceptedFrames: 1, droppedFrames: 0, dropReason: null },
    cluster: null,
    plugins: [],
    cards: new Map(),
    datagrams: { ruview: noDatagrams, nexmon: noDatagrams },
    latest: (environmentId) =>
      environmentId === "living-room" ? share(makeFrame()) : UnknownEnvironment.of(environmentId),
    storeFails: false,
    stopping: { current: false },
    gate: null,
    apiKeys: new Map(),
    homeTokens: new Map(),
    revoked: new Set(),
    logged: [],
    lines: [],
    alerts: () => Stream.never,
    storedAlerts: [],
    labels: [],
    acknowledges: true,
    acknowledged: [],
    publish: (frame) => {
      for (const queue of watched.get(frame.frame.environmentId) ?? []) Queue.offerUnsafe(queue, frame)
    },
    watched,
  }
}

export const changedAtMs = Date.UTC(2026, 0, 5, 10)

export const makeWebhook = (webhookId: string): Webhook => ({
  webhookId,
  url: "https://hooks.example.org/",
  description: "",
  eventTypes: ["fall_detection"],
  createdAtMs: changedAtMs,
  createdBy: "otto",
  disabledAtMs: null,
  disabledReason: null,
  failingSinceMs: null,
  lastError: null,
  lastAttemptMs: null,
  lastSuccessMs: null,
  delivered: 0,
  givenUp: 0,
  waiting: 0,
})
