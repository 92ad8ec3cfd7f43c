/** Rooms spread evenly over two nodes, by the rows with which the service moves rooms for their load. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { sensingGroup } from "../../protocols/messages/shard-groups.ts"
import { eventually, type TestService } from "../harness/service.ts"

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

/** The rooms that a node has started. */
const roomsOf = (service: TestService): ReadonlyArray<string> =>
  [...service.output().matchAll(/environment started id=(\S+)/g)].map(([, room]) => room!)

/** The addresses of the runner channels, in the order in which the nodes joined. */
const addresses = (databaseUrl: string): Promise<ReadonlyArray<string>> =>
  inDatabase(databaseUrl, (sql) =>
    Effect.map(
      sql<{ address: string }>`SELECT address FROM cluster_runners ORDER BY machine_id`,
      (rows) => rows.map(({ address }) => address),
    ))

/** Moves rooms until two nodes have as many; returns the rooms of each. Rooms of one shard group stay together. */
export const spread = async (databaseUrl: string, services: ReadonlyArray<TestService>) => {
  const rooms = services.map((service) => [...roomsOf(service)])
  if (services.length < 2) return rooms
  // The first of the services is the last that joins.
  const joined = (await addresses(databaseUrl)).toReversed()
  const pins: Array<readonly [group: string, address: string]> = []
  const [many, few] = rooms[0]!.length > rooms[1]!.length ? [0, 1] : [1, 0]
  for (const [group, together] of Map.groupBy(rooms[many]!, sensingGroup)) {
    if (rooms[many]!.length - rooms[few]!.length < 2 * together.length) continue
    pins.push([group, joined[few]!])
    rooms[many] = rooms[many]!.filter((room) => !together.includes(room))
    rooms[few]!.push(...together)
  }
  await inDatabase(
    databaseUrl,
    (sql) =>
      Effect.forEach(
        pins,
        ([group, address]) => sql`INSERT INTO cluster_pins (shard_group, address) VALUES (${group}, ${address})`,
      ),
  )
  await eventually(
    () => Promise.resolve(new Set(roomsOf(services[few]!))),
    (started) => rooms[few]!.every((room) => started.has(room)),
    60_000,
  )
  return rooms
}
