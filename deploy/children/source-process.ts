/**
 * A simulation or a replay as a child process. It sends CSI to this node's gRPC edge with a key of its own.
 */
import { superviseChild } from "./child-process.ts"
import type { Destination } from "../settings/destination.ts"
import type { PlayedSource } from "../settings/source-options.ts"

const sourceArguments = (source: PlayedSource, { caFile, to }: Destination): ReadonlyArray<string> => {
  const authority = caFile === null ? [] : ["--ca", caFile]
  const common = ["--speed", String(source.speed), "--to", to, "--while-stdin", ...authority]
  return source.kind === "simulated"
    ? ["sim", "run", source.scenario, ...(source.seed === null ? [] : ["--seed", String(source.seed)]), ...common]
    : ["replay", ...source.files, ...(source.loop ? ["--loop"] : []), ...common]
}

/** Runs the source until it ends. A looping replay and a simulation do not end. */
export const superviseSource = (source: PlayedSource, destination: Destination) =>
  superviseChild({
    name: "source",
    args: sourceArguments(source, destination),
    env: {},
    role: "operator",
    scope: "process:csi",
    to: destination.to,
    finalExitCode: null,
  })
