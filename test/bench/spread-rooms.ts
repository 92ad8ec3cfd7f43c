/** Rooms spread evenly over two nodes, by the rows with which the service moves rooms for their load. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { sensingGroup } from "../../protocols/messages/shard-groups.ts"
import { type Api, eventually } from "../harness/service.ts"

const inDatabase = <A>(databaseUrl: string, use: (sql: PgClient.PgClient) => Effect.Effect<A, unknown>): Promise<A> =>
  Effect.runPromise(
    Effect.flatMap(PgClient.PgClient, use).pipe(
      Effect.provide(PgClient.layer({ url: Redacted.make(databaseUrl) })),
    ),
  )

export const storedFrames = (databaseUrl: string): Promise<number> =>
  inDatabase(
    databaseUrl,
    (sql) =>
      Effect.map(sql<{ frames: number }>`SELECT count(*)::int4 AS frames FROM pose_frames`, ([row]) => row!.frames),
  )

interface NodeRooms {
  /** Of the runner channel. */
  readonly address: string
  readonly environments: ReadonlyArray<string>
}

/** The nodes and their rooms, first the one that answers. */
const nodesOf = async (api: Api): Promise<ReadonlyArray<NodeRooms>> => {
  const { body } = await api.get("/system/inventory")
  const nodes = body.nodes as ReadonlyArray<NodeRooms & { readonly answering: boolean }>
  return nodes.toSorted((a, b) => Number(b.answering) - Number(a.answering))
}

/** Moves rooms until two nodes have as many; returns how many each has, first that of the API. Rooms of one shard group stay together. */
export const spread = async (databaseUrl: string, api: Api): Promise<ReadonlyArray<number>> => {
  const nodes = await nodesOf(api)
  if (nodes.length < 2) return nodes.map(({ environments }) => environments.length)
  const counts = nodes.map(({ environments }) => environments.length)
  const [many, few] = counts[0]! > counts[1]! ? [0, 1] : [1, 0]
  const pins: Array<string> = []
  for (const [group, together] of Map.groupBy(nodes[many]!.environments, sensingGroup)) {
    if (counts[many]! - counts[few]! < 2 * together.length) continue
    pins.push(group)
    counts[many]! -= together.length
    counts[few]! += together.length
  }
  const { address } = nodes[few]!
  await inDatabase(
    databaseUrl,
    (sql) =>
      Effect.forEach(
        pins,
        (group) => sql`INSERT INTO cluster_pins (shard_group, address) VALUES (${group}, ${address})`,
      ),
  )
  await eventually(
    () => nodesOf(api),
    (now) => now.every(({ environments }, i) => environments.length === counts[i]),
    60_000,
  )
  return counts
}
