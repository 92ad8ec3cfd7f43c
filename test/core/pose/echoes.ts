/** The scene of one link for the tests of tokens. */
import type { SiteGeometry } from "../../../core/imaging/geometry.ts"
import type { Observation } from "../../../core/observation/observation.ts"
import { addEchoes, createEchoSeries, type EchoSeries } from "../../../core/pose/echo-series.ts"
import { type EchoPoint, evenly, observationOf as observedBy } from "../../harness/echoes.ts"

export const geometry: SiteGeometry = {
  size: [6, 5, 2.7],
  nodes: [
    { nodeId: "tx", position: [0, 2, 1], arrayAxis: [0, 1, 0] },
    { nodeId: "rx", position: [5, 2, 1], arrayAxis: [0, 1, 0] },
  ],
}

/** The receiver's observation of a hop with `packets` evenly spaced packets. */
export const observationOf = (points: ReadonlyArray<EchoPoint>, hop: number, packets = 10): Observation =>
  observedBy({ points, packetTimesS: () => evenly(packets) }, geometry.nodes[1]!, hop, [geometry.nodes[0]!])

/** The series of the link over hops 0 to `hops` - 1. */
export const seriesOf = (points: ReadonlyArray<EchoPoint>, hops: number, packets = 10): EchoSeries => {
  const series = createEchoSeries(geometry, observationOf(points, 0, packets), "tx")!
  for (let hop = 0; hop < hops; hop++) addEchoes(series, hop, observationOf(points, hop, packets).links[0]!)
  return series
}
