import { describe, expect, it } from "vitest"
import { judge } from "../../../gateways/diagnosis/judge.ts"
import type { Finding } from "../../../protocols/pose-api/findings.ts"
import { refusalReasons } from "../../../protocols/domain/node-identity.ts"
import type { DiagnosticsBody } from "../../../protocols/pose-api/diagnostics.ts"

type Router = DiagnosticsBody["routers"][number]
type Door = DiagnosticsBody["datagrams"][number]
type Environment = DiagnosticsBody["environments"][number]

/** The mutable fields of a body, for tests to change. */
type Draft<T> = T extends ReadonlyArray<infer A> ? Array<Draft<A>>
  : T extends object ? { -readonly [K in keyof T]: Draft<T[K]> }
  : T

const router = (id: string, over: Partial<Router> = {}): Router => ({
  router_id: id,
  environment_id: "flat",
  reason: null,
  state: "streaming",
  packet_rate_hz: 100,
  packet_loss_rate: 0.01,
  last_packet_time: "2026-01-05T09:30:00.000Z",
  clock_offset_ms: -20,
  accepted_frames: 1000,
  dropped_frames: 0,
  shed_frames: 0,
  given_up_hops: 0,
  transmitters: ["ap-1"],
  channel: {
    format: "nexmon",
    center_frequency_hz: 5.21e9,
    bandwidth_hz: 80e6,
    receive_antennas: 3,
    subcarriers: 242,
  },
  left_out: { late: 0, invalid: 0, overflow: 0, other_layout: 0, links_full: 0 },
  clock_restarts: 0,
  gain_steps: 0,
  channel_changes: 0,
  calibration: { version: 1, links: 1, calibrated_links: 1, stale_reason: null, running: false },
  ...over,
})

const door = (kind: "ruview" | "nexmon", over: Partial<Door> = {}): Door => ({
  kind,
  host: "0.0.0.0",
  port: kind === "ruview" ? 5005 : 5500,
  received: 0,
  accepted: 0,
  dropped: {},
  routers: [],
  foreign_senders: [],
  ...over,
})

const environment: Environment = {
  environment_id: "flat",
  name: "Flat",
  array_findings: [],
  misplaced_nodes: [],
  uncalibrated_receivers: [],
  geometry_nodes: ["n-1", "n-2", "n-3", "ap-1"],
  active: true,
  answers: true,
  streaming_routers: 3,
  frames_processed: 100,
  frames_per_second: 10,
  last_packet_time: "2026-01-05T09:30:00.000Z",
  no_frames_reason: null,
  frame_age_ms: 140,
  lateness: "on_time",
  behind: null,
  pace: { effort: "full", shed_hops: 0, router_hops: 0, missed_hops: 0, shedding: null },
}

/** A flat with three calibrated routers and no problems. */
const healthy = (): Draft<DiagnosticsBody> =>
  structuredClone<DiagnosticsBody>({
    timestamp: "2026-01-05T09:30:00.000Z",
    version: "1.2.3",
    system: { status: "running", failure: null, environment_id: null },
    store_answers: true,
    given_up_actors: [],
    environments: [environment],
    routers: [router("n-1"), router("n-2"), router("n-3")],
    datagrams: [
      door("ruview"),
      door("nexmon", {
        received: 900,
        accepted: 900,
        routers: ["n-1", "n-2", "n-3"].map((router_id) => ({
          router_id,
          last_datagram_time: "2026-01-05T09:30:00.000Z",
          frames: 300,
          last_drop: null,
          reports: false,
          signed: false,
          bin_order: null,
        })),
      }),
    ],
    kernels: { backend: "wasm", device: "128-bit SIMD", reason: "first to pass", skipped: [] },
    node_identity: { policy: "open", signed: false, unsigned_nodes: ["n-1", "n-2", "n-3"] },
  }) as Draft<DiagnosticsBody>

const later = "2026-01-05T09:30:03.000Z"

/** Three seconds later, with frames and packets of three seconds. */
const onwards = (first: Draft<DiagnosticsBody>): Draft<DiagnosticsBody> => {
  const last = structuredClone(first)
  last.timestamp = later
  for (const one of last.environments) if (one.no_frames_reason === null) one.frames_processed += 30
  for (const one of last.routers) if (one.state === "streaming") one.accepted_frames += 300
  for (const one of last.datagrams) {
    if (one.received === 0) continue
    one.received += 900
    one.accepted += 900
    for (const sender of one.routers) sender.last_datagram_time = later
  }
  return last
}

/** Judges the healthy flat with a change before both examinations, and one between them. */
const judged = (
  before: (first: Draft<DiagnosticsBody>) => void,
  between: (last: Draft<DiagnosticsBody>) => void = () => {},
) => {
  const first = healthy()
  before(first)
  const last = onwards(first)
  between(last)
  return judge(first, last)
}

const nothing = () => {}

const noFrames = (body: Draft<DiagnosticsBody>) => {
  body.environments[0]!.no_frames_reason = "No CSI has come yet."
}

/** No router sends, as after a start without a source. */
const silence = (body: Draft<DiagnosticsBody>) => {
  noFrames(body)
  body.routers.forEach((one) => Object.assign(one, { state: "idle", last_packet_time: null }))
  body.datagrams[1] = door("nexmon") as Draft<Door>
}

const nexmon = (body: Draft<DiagnosticsBody>) => body.datagrams[1]!
const stranger = (body: Draft<DiagnosticsBody>) => {
  nexmon(body).routers.push({
    router_id: "nexmon-10.0.0.9",
    last_datagram_time: body.timestamp,
    frames: 5,
    last_drop: { reason: "unknown_router", time: body.timestamp },
    reports: false,
    signed: false,
    bin_order: null,
  })
}

/** An ESP32 node that sends, with this subcarrier order. */
const node = (body: Draft<DiagnosticsBody>, bin_order: Door["routers"][number]["bin_order"]) => {
  Object.assign(body.datagrams[0]!, { received: 50, accepted: 50 })
  body.datagrams[0]!.routers.push({
    router_id: "node-1",
    last_datagram_time: later,
    frames: 50,
    last_drop: null,
    reports: false,
    signed: false,
    bin_order,
  })
}

type Row = readonly [
  title: string,
  before: (first: Draft<DiagnosticsBody>) => void,
  between: (last: Draft<DiagnosticsBody>) => void,
  check: string,
  verdict: Finding["verdict"],
  text: RegExp,
]

const rows: ReadonlyArray<Row> = [
  [
    "kernels on typed arrays",
    (b) => {
      b.kernels!.backend = "typed-arrays"
      b.kernels!.skipped.push({ backend: "wasm", reason: "fft is wrong: error 0.5" })
    },
    nothing,
    "kernels",
    "problem",
    /many times slower than WebAssembly \(wasm: fft is wrong/,
  ],
  ["the system is stopped", (b) => b.system!.status = "stopped", nothing, "system", "problem", /system\/start/],
  [
    "the system failed",
    (b) => Object.assign(b.system!, { status: "error", failure: "no space" }),
    nothing,
    "system",
    "problem",
    /no space.*restart/,
  ],
  [
    "frames flow and are late",
    nothing,
    (b) =>
      Object.assign(b.environments[0]!, {
        frame_age_ms: 62_000,
        lateness: "stale",
        behind: { stage: "source", finding: "The source is behind: the simulator is slow.", advice: "Simulate less." },
      }),
    "frames of flat",
    "problem",
    /30 within 3 s, but the newest is 62\.0 s old \(stale\)\. The source is behind.*Simulate less/,
  ],
  [
    "frames flow and hops are shed",
    nothing,
    (b) =>
      Object.assign(b.environments[0]!, {
        pace: {
          effort: "every_second_hop",
          shed_hops: 40,
          missed_hops: 3,
          shedding: "Environment flat leaves work out.",
        },
      }),
    "frames of flat",
    "problem",
    /flat leaves work out.*more processors/,
  ],
  ["the system starts", (b) => b.system!.status = "starting", nothing, "system", "problem", /starting.*again/],
  [
    "the session does not answer",
    (b) => Object.assign(b, { system: null, system_reason: "no answer within 2000 ms" }),
    nothing,
    "system",
    "unknown",
    /no answer within 2000 ms/,
  ],
  ["the store is away", (b) => b.store_answers = false, nothing, "store", "problem", /database/],
  ["an actor broke", (b) => b.given_up_actors = ["Router n-1"], nothing, "actors", "problem", /Router n-1 failed/],
  [
    "no environment",
    (b) => Object.assign(b, { environments: [], routers: [] }),
    nothing,
    "enrolment",
    "problem",
    /--site/,
  ],
  ["no router", (b) => b.routers = [], nothing, "enrolment", "problem", /no router/],
  ["no frames", noFrames, nothing, "frames of flat", "problem", /No CSI has come yet/],
  [
    "an environment that does not answer",
    nothing,
    (b) =>
      Object.assign(b.environments[0]!, {
        active: false,
        answers: false,
        frames_processed: 0,
        no_frames_reason: "Environment flat did not answer.",
      }),
    "frames of flat",
    "problem",
    /flat did not answer.*short of processor/,
  ],
  [
    "an environment that did not answer the first examination",
    (b) => Object.assign(b.environments[0]!, { answers: false, frames_processed: 0 }),
    (b) => Object.assign(b.environments[0]!, { answers: true, frames_processed: 36_000 }),
    "frames of flat",
    "problem",
    /none within 3 s/,
  ],
  ["no datagram ever", silence, nothing, "datagrams", "problem", /ever received.*5005.*5500.*firewall/],
  [
    "no datagram, on loopback",
    (b) => {
      silence(b)
      b.datagrams.forEach((one) => one.host = "127.0.0.1")
    },
    nothing,
    "datagrams",
    "problem",
    /only this machine.*WAVEPOSE_HOST/,
  ],
  [
    "no datagram any more",
    (b) => {
      noFrames(b)
      b.routers.forEach((one) => one.state = "lost")
    },
    (b) => {
      Object.assign(nexmon(b), { received: 900, accepted: 900 })
      nexmon(b).routers.forEach((one) => one.last_datagram_time = "2026-01-05T09:29:00.000Z")
    },
    "datagrams",
    "problem",
    /last one arrived 63 s ago/,
  ],
  [
    "a wrong magic while nothing flows",
    silence,
    (b) =>
      Object.assign(b.datagrams[0]!, {
        received: 5,
        dropped: { "not-a-record": 5 },
        foreign_senders: [{ address: "10.0.0.7", datagrams: 5, last_datagram_time: later }],
      }),
    "datagrams on UDP 0.0.0.0:5005 (ruview)",
    "problem",
    /10\.0\.0\.7.*wrong magic.*own port/,
  ],
  [
    "a wrong magic while frames flow",
    nothing,
    (b) => nexmon(b).foreign_senders.push({ address: "10.0.0.7", datagrams: 5, last_datagram_time: later }),
    "datagrams on UDP 0.0.0.0:5500 (nexmon)",
    "limit",
    /10\.0\.0\.7/,
  ],
  [
    "a node whose order of subcarriers is unknown",
    nothing,
    (b) => node(b, "unknown"),
    "datagrams on UDP 0.0.0.0:5005 (ruview)",
    "limit",
    /subcarrier order of node-1 is unknown.*assumed.*20 MHz without a secondary channel/,
  ],
  [
    "a node whose order is known",
    nothing,
    (b) => node(b, "ascending"),
    "datagrams on UDP 0.0.0.0:5005 (ruview)",
    "ok",
    /50 datagrams, 50 frames accepted/,
  ],
  [
    "frames that contradict their node's order",
    nothing,
    (b) => {
      node(b, "ascending")
      b.datagrams[0]!.dropped["bin-order"] = 12
    },
    "datagrams on UDP 0.0.0.0:5005 (ruview)",
    "limit",
    /12 frames dropped \(bin-order\).*same number.*fixed channel/,
  ],
  [
    "a stranger while nothing flows",
    silence,
    (b) => {
      nexmon(b).received = 5
      stranger(b)
    },
    "datagrams on UDP 0.0.0.0:5500 (nexmon)",
    "problem",
    /nexmon-10\.0\.0\.9 sends, but is not enrolled.*--site/,
  ],
  [
    "reports and no CSI",
    silence,
    (b) =>
      Object.assign(b.datagrams[0]!, {
        received: 3,
        dropped: { device_report: 3 },
        routers: [{ router_id: "node-1", last_datagram_time: later, frames: 0, last_drop: null, reports: true }],
      }),
    "datagrams on UDP 0.0.0.0:5005 (ruview)",
    "problem",
    /node-1 sends only.*raw CSI on/,
  ],
  [
    "datagrams that are cut off",
    nothing,
    (b) => nexmon(b).dropped = { truncated: 40 },
    "datagrams on UDP 0.0.0.0:5500 (nexmon)",
    "limit",
    /40 frames dropped \(truncated\).*are truncated/,
  ],
  [
    "a router never heard",
    (b) => Object.assign(b.routers[0]!, { state: "idle", last_packet_time: null }),
    nothing,
    "router n-1",
    "problem",
    /ever heard/,
  ],
  [
    "a router gone",
    (b) => Object.assign(b.routers[0]!, { state: "lost", last_packet_time: "2026-01-05T09:29:03.000Z" }),
    nothing,
    "router n-1",
    "problem",
    /lost: .* 60 s ago/,
  ],
  [
    "a router that does not answer",
    (b) => Object.assign(b.routers[0]!, { state: null, reason: "Router n-1 did not answer." }),
    nothing,
    "router n-1",
    "unknown",
    /did not answer/,
  ],
  ["too few packets", (b) => b.routers[0]!.packet_rate_hz = 3, nothing, "router n-1", "limit", /3\.0 packets\/s.*10/],
  ["loss", (b) => b.routers[0]!.packet_loss_rate = 0.4, nothing, "router n-1", "limit", /40 %/],
  [
    "frames of another channel",
    nothing,
    (b) => b.routers[0]!.left_out.other_layout = 300,
    "router n-1",
    "limit",
    /50 % .*another channel.*one channel/,
  ],
  ["late frames", nothing, (b) => b.routers[0]!.left_out.late = 200, "router n-1", "limit", /older.*clock/],
  ["a clock set back", nothing, (b) => b.routers[0]!.clock_restarts = 1, "router n-1", "limit", /set back.*NTP/],
  ["observations given up", nothing, (b) => b.routers[0]!.given_up_hops = 9, "router n-1", "problem", /in time/],
  [
    "clocks that differ",
    (b) => b.routers[2]!.clock_offset_ms = -5020,
    nothing,
    "clocks in flat",
    "problem",
    /n-3 is 5\.0 s behind n-[12].*300 ms/,
  ],
  [
    "not calibrated",
    (b) => b.routers[0]!.calibration!.calibrated_links = 0,
    nothing,
    "calibration of flat",
    "limit",
    /1 of 3 links.*system\/calibration/,
  ],
  [
    "a stale calibration",
    (b) => b.routers[0]!.calibration!.stale_reason = "the static response has differed",
    nothing,
    "calibration of flat",
    "limit",
    /has differed.*empty/,
  ],
  [
    "a calibration under way",
    (b) => b.routers[0]!.calibration!.running = true,
    nothing,
    "calibration of flat",
    "ok",
    /in progress/,
  ],
  ["no geometry", (b) => b.environments[0]!.geometry_nodes = null, nothing, "location in flat", "limit", /positions/],
  [
    "a transmitter that is nowhere",
    (b) => b.environments[0]!.geometry_nodes = ["n-1", "n-2", "n-3"],
    nothing,
    "location in flat",
    "limit",
    /0 links have both ends.*3 are needed/,
  ],
  [
    "one antenna each",
    (b) => b.routers.forEach((one) => one.channel!.receive_antennas = 1),
    nothing,
    "location in flat",
    "limit",
    /3 links have both ends in the geometry, 0 of them/,
  ],
  [
    "a receiver that is left out of locating",
    nothing,
    (b) => b.environments[0]!.uncalibrated_receivers = ["n-2"],
    "location in flat",
    "limit",
    /3 links have both ends in the geometry, 1 of them are left out, 2 of them have/,
  ],
  [
    "a transmitter that is left out of locating",
    nothing,
    (b) => b.environments[0]!.misplaced_nodes = ["ap-1"],
    "location in flat",
    "limit",
    /3 links have both ends in the geometry, 3 of them are left out, 0 of them have/,
  ],
  [
    "a node that its links contradict",
    (b) => b.environments[0]!.array_findings = ["The links of n-2 contradict its position."],
    nothing,
    "geometry of flat",
    "limit",
    /n-2 contradict its position.*[Mm]easure/,
  ],
]

describe("the doctor's judgement", () => {
  it("has no problems in a healthy flat", () => {
    const findings = judged(nothing)
    expect(findings.filter(({ verdict }) => verdict !== "ok")).toEqual([])
    expect(findings.map(({ check }) => check)).toEqual([
      "system",
      "kernels",
      "enrolment",
      "frames of flat",
      "datagrams on UDP 0.0.0.0:5005 (ruview)",
      "datagrams on UDP 0.0.0.0:5500 (nexmon)",
      "node identity",
      "router n-1",
      "router n-2",
      "router n-3",
      "clocks in flat",
      "calibration of flat",
      "location in flat",
    ])
  })

  it.each(rows)("%s", (_, before, between, check, verdict, text) => {
    const found = judged(before, between).filter((finding) => finding.check === check)
    expect(found.map((finding) => finding.verdict)).toContain(verdict)
    expect(found.map(({ advice, finding }) => `${finding} ${advice ?? ""}`).join(" ")).toMatch(text)
  })

  it.each(refusalReasons)("advises about rejected datagrams: %s", (reason) => {
    const found = judged(nothing, (last) => void (nexmon(last).dropped[reason] = 3))
      .filter(({ finding }) => finding.includes(`(${reason})`))
    expect(found).toMatchObject([{ verdict: "limit", advice: expect.stringMatching(/\.$/) }])
  })

  it("reports which senders sign", () => {
    const said = (identity: DiagnosticsBody["node_identity"]) =>
      judged(nothing, (last) => void (last.node_identity = identity as typeof last.node_identity))
        .find(({ check }) => check === "node identity")?.finding
    expect(said({ policy: "open", signed: false, unsigned_nodes: ["n-1"] })).toMatch(/accepted; unsigned: n-1/)
    expect(said({ policy: "required", signed: true, unsigned_nodes: [] })).toMatch(/all datagrams are signed/)
  })

  it("has advice for each finding that is not ok", () => {
    for (const [, before, between] of rows) {
      for (const { advice, verdict } of judged(before, between)) expect(advice === null).toBe(verdict === "ok")
    }
  })

  it("ignores counts from before the first examination", () => {
    const findings = judged((body) => {
      nexmon(body).dropped = { truncated: 1e6, unknown_router: 5 }
      // It was enrolled since then.
      nexmon(body).routers[0]!.last_drop = { reason: "unknown_router", time: body.timestamp }
      nexmon(body).foreign_senders.push({ address: "10.0.0.7", datagrams: 99, last_datagram_time: body.timestamp })
      Object.assign(body.routers[0]!, { clock_restarts: 3, given_up_hops: 50 })
      body.routers[0]!.left_out.other_layout = 1e6
    })
    expect(findings.filter(({ verdict }) => verdict !== "ok")).toEqual([])
  })

  it("needs no datagram if packets arrive by gRPC", () => {
    const findings = judged((body) => body.datagrams[1] = door("nexmon") as Draft<Door>)
    expect(findings.filter(({ verdict }) => verdict !== "ok")).toEqual([])
  })
})
