/**
 * A simulation or a replay as a child process. It sends CSI to this node's gRPC edge with a key of its own.
 */
import { type ServiceNode, superviseChild } from "./child-process.ts"
import type { PlayedSource } from "../settings/source-options.ts"

const sourceArguments = (source: PlayedSource, to: string): ReadonlyArray<string> => {
  const common = ["--speed", String(source.speed), "--to", to, "--while-stdin"]
  return source.kind === "simulated"
    ? ["sim", "run", source.scenario, ...(source.seed === null ? [] : ["--seed", String(source.seed)]), ...common]
    : ["replay", ...source.files, ...(source.loop ? ["--loop"] : []), ...common]
}

/** Runs the source until it ends. A looping replay and a simulation do not end. */
export const superviseSource = (source: PlayedSource, node: ServiceNode) =>
  superviseChild({
    name: "source",
    args: sourceArguments(source, node.grpc),
    env: {},
    role: "operator",
    scope: "process:csi",
    node,
    finalExitCode: null,
  })
