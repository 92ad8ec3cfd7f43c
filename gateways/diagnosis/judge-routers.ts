/** Findings about the routers: whether and how well they are heard, their clocks, and what their links support. */
import { antennasMin, linksMin } from "../../core/imaging/matched-field.ts"
import { hopUs, latenessHopsMax } from "../../core/observation/observation.ts"
import type { DiagnosticsBody } from "../../protocols/pose-api/diagnostics.ts"
import type { Finding } from "../../protocols/pose-api/findings.ts"
import { concerning, limit, ok, problem, unknown } from "./finding.ts"

type Router = DiagnosticsBody["routers"][number]
type Environment = DiagnosticsBody["environments"][number]

/** One packet per hop: with fewer, hops are empty. */
const packetRateMinHz = 1e6 / hopUs
/** Loss, and share of dropped frames, above which there is a finding. */
const lossMax = 0.2
const leftOutShareMax = 0.1
/** Routers whose clocks differ by more are not aligned. */
const clockSpreadMsMax = latenessHopsMax * hopUs / 1000

const isHeard = ({ state }: Router): boolean => state === "streaming" || state === "calibrating"

const silence = (check: string, router: Router, timestamp: string): Finding => {
  const { last_packet_time: last, state } = router
  if (last === null) {
    return problem(check, "it was never heard", "Check that it is on, and the address that it sends its CSI to.")
  }
  const seconds = (Date.parse(timestamp) - Date.parse(last)) / 1000
  return problem(
    check,
    `${state === "lost" ? "lost" : "silent"}: its last packet arrived ${seconds.toFixed(0)} s ago`,
    "Check its power, its network, and that its transmitter still sends.",
  )
}

/** Reasons why frames of a router were dropped, and what to do. */
const leftOutReasons: ReadonlyArray<readonly [keyof Router["left_out"], string, string]> = [
  [
    "other_layout",
    "of another channel, bandwidth or number of antennas than most",
    "Let its transmitters use one channel and one bandwidth, and filter the others at the router.",
  ],
  ["late", "older than earlier ones", "Check the router's clock, and the delays of its network."],
  [
    "invalid",
    "without a usable channel",
    "Check the router's firmware: its values are empty or differ from its headers.",
  ],
  [
    "overflow",
    "more than a hop can hold",
    "Lower its packet rate: more than 2560 packets/s per link are not used.",
  ],
  ["links_full", "of more transmitters than it can track", "Filter the stations at the router to those of the site."],
]

const leftOut = (check: string, before: Router, router: Router): ReadonlyArray<Finding> => {
  const accepted = router.accepted_frames - before.accepted_frames
  return leftOutReasons.flatMap(([reason, what, advice]) => {
    const frames = router.left_out[reason] - before.left_out[reason]
    const share = frames / Math.max(1, frames + accepted)
    return share <= leftOutShareMax
      ? []
      : [limit(check, `${(100 * share).toFixed(0)} % of its frames are dropped: ${what}`, advice)]
  })
}

const quality = (check: string, before: Router, router: Router): ReadonlyArray<Finding> => {
  const { packet_loss_rate: loss, packet_rate_hz: rate } = router
  return [
    ...leftOut(check, before, router),
    ...(router.given_up_hops > before.given_up_hops
      ? [
        problem(
          check,
          "its environment does not accept its observations in time",
          "See the findings about the environment and the store, and the load of this machine.",
        ),
      ]
      : []),
    ...(router.clock_restarts > before.clock_restarts
      ? [limit(check, "its clock was set back", "Synchronise its clock by NTP, or find out why it restarts.")]
      : []),
    ...(rate !== null && rate < packetRateMinHz
      ? [
        limit(
          check,
          `only ${rate.toFixed(1)} packets/s`,
          `Let its transmitter send at least ${packetRateMinHz}, better 100, packets/s, for example by ping.`,
        ),
      ]
      : []),
    ...(loss !== null && loss > lossMax
      ? [
        limit(
          check,
          `${(100 * loss).toFixed(0)} % of the packets are lost`,
          "Move it nearer to its transmitter, or choose a channel with less traffic.",
        ),
      ]
      : []),
  ]
}

const routerFindings = (first: DiagnosticsBody, last: DiagnosticsBody, router: Router): ReadonlyArray<Finding> => {
  const check = `router ${router.router_id}`
  if (router.state === null) {
    return [
      unknown(check, router.reason ?? "it did not answer", "See the service's log, then run the doctor again."),
    ]
  }
  if (!isHeard(router)) return [silence(check, router, last.timestamp)]
  const before = first.routers.find(({ router_id }) => router_id === router.router_id) ?? router
  const findings = quality(check, before, router)
  return findings.length > 0
    ? findings
    : [ok(check, `heard with ${router.packet_rate_hz?.toFixed(1) ?? "?"} packets/s`)]
}

/** Findings about the differences between the clocks of an environment's routers. */
const clockFindings = ({ environment_id }: Environment, heard: ReadonlyArray<Router>): ReadonlyArray<Finding> => {
  const clocks = heard.flatMap(({ clock_offset_ms, router_id }) =>
    clock_offset_ms === null ? [] : [{ router_id, offsetMs: clock_offset_ms }]
  ).sort((a, b) => a.offsetMs - b.offsetMs)
  const [earliest, latest] = [clocks[0], clocks.at(-1)]
  if (earliest === undefined || latest === undefined || clocks.length < 2) return []
  const spreadMs = latest.offsetMs - earliest.offsetMs
  const check = `clocks in ${environment_id}`
  return spreadMs <= clockSpreadMsMax ? [ok(check, `within ${spreadMs.toFixed(0)} ms of each other`)] : [problem(
    check,
    `${earliest.router_id} is ${(spreadMs / 1000).toFixed(1)} s behind ${latest.router_id}`,
    `Synchronise both clocks by NTP: routers more than ${clockSpreadMsMax} ms apart are not aligned.`,
  )]
}

const calibrationFindings = ({ environment_id }: Environment, heard: ReadonlyArray<Router>): ReadonlyArray<Finding> => {
  const check = `calibration of ${environment_id}`
  const calibrations = heard.flatMap(({ calibration }) => calibration === null ? [] : [calibration])
  if (calibrations.some(({ running }) => running)) return [ok(check, "in progress: leave the room unchanged")]
  const advice =
    "Leave the room, and calibrate it empty: page Set-up of the console, or POST /api/v1/system/calibration."
  const stale = calibrations.find(({ stale_reason }) => stale_reason !== null)
  if (stale !== undefined) return [limit(check, stale.stale_reason!, advice)]
  const links = calibrations.reduce((sum, { links }) => sum + links, 0)
  const calibrated = calibrations.reduce((sum, { calibrated_links }) => sum + calibrated_links, 0)
  return calibrated < links
    ? [
      limit(
        check,
        `${links - calibrated} of ${links} links are not calibrated, so persons who stand still are not detected`,
        advice,
      ),
    ]
    : [ok(check, `${links} links calibrated`)]
}

const locationFindings = (
  { environment_id, geometry_nodes: nodes, misplaced_nodes, uncalibrated_receivers }: Environment,
  heard: ReadonlyArray<Router>,
): ReadonlyArray<Finding> => {
  const check = `location in ${environment_id}`
  const without = "presence and motion only"
  if (nodes === null) {
    return [
      limit(
        check,
        `${without}: the positions of its routers are not known`,
        'Place them on the plan of the page Set-up, or set "geometry" in the site file.',
      ),
    ]
  }
  const placed = new Set(nodes)
  const misplaced = new Set(misplaced_nodes)
  const ends = heard.filter(({ router_id }) => placed.has(router_id)).flatMap((router) =>
    router.transmitters.filter((id) => placed.has(id)).map((transmitterId) => ({ router, transmitterId }))
  )
  const used = ends.filter(({ router: { router_id }, transmitterId }) =>
    !misplaced.has(router_id) && !misplaced.has(transmitterId) && !uncalibrated_receivers.includes(router_id)
  )
  const able = used.filter(({ router: { channel } }) => channel !== null && channel.receive_antennas >= antennasMin)
  const leftOut = used.length === ends.length ? "" : `, ${ends.length - used.length} of them are left out`
  if (able.length >= linksMin) {
    return [ok(check, `${able.length} links with known positions and ${antennasMin} or more antennas`)]
  }
  return [limit(
    check,
    `${without}: ${ends.length} links have both ends in the geometry${leftOut}, ${able.length} of them have ${antennasMin} receive antennas; ${linksMin} are needed`,
    "Add routers with several antennas, and name every router and transmitter by its id in the geometry.",
  )]
}

/** What the static paths say about antennas and geometry: wrong nodes by name. */
const arrayFindings = ({ array_findings, environment_id }: Environment): ReadonlyArray<Finding> =>
  array_findings.map((finding) =>
    limit(
      `geometry of ${environment_id}`,
      finding,
      "Measure these nodes again, compare their ids with the site file, and calibrate their antennas.",
    )
  )

/** Findings about the routers of active environments, one by one and by environment. */
export const judgeRouters = (first: DiagnosticsBody, last: DiagnosticsBody): ReadonlyArray<Finding> => {
  const active = last.environments.filter((environment) => environment.active)
  return active.flatMap((environment) => {
    const routers = last.routers.filter(({ environment_id }) => environment_id === environment.environment_id)
    const heard = routers.filter(isHeard)
    return concerning([
      ...routers.flatMap((router) =>
        concerning(routerFindings(first, last, router), environment.environment_id, router.router_id)
      ),
      ...(heard.length === 0 ? [] : [
        ...clockFindings(environment, heard),
        ...calibrationFindings(environment, heard),
        ...locationFindings(environment, heard),
        ...arrayFindings(environment),
      ]),
    ], environment.environment_id)
  })
}
