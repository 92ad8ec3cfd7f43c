/** Streams of actors end when their actor moves: a stream that does not holds up the move until the time limit of a stop. */
import { Context } from "effect"
import { ClusterSchema } from "effect/cluster"
import { type Rpc, RpcSchema } from "effect/rpc"
import { describe, expect, it } from "vitest"
import { EdgeNode } from "../../../protocols/messages/edge-node.ts"
import { Environment } from "../../../protocols/messages/environment.ts"
import { HomeBus } from "../../../protocols/messages/home-bus.ts"

const streams = [EdgeNode, Environment, HomeBus].flatMap(({ protocol, type }) =>
  [...(protocol.requests as ReadonlyMap<string, Rpc.AnyWithProps>).values()]
    .filter(({ successSchema }) => RpcSchema.isStreamSchema(successSchema))
    .map((rpc) => ({ name: `${type}.${rpc._tag}`, rpc }))
)

describe("a stream of an actor", () => {
  it.each(streams)("$name is interrupted when its actor stops", ({ rpc }) => {
    expect(Context.get(rpc.annotations, ClusterSchema.InterruptOnTermination)).toBe(true)
  })

  it("is known here", () => expect(streams.length).toBe(4))
})
