/**
 * The slugs of rooms and nodes, which begin the ids of their devices and entities: each belongs to one of them.
 *
 * Ids of rooms and of nodes are separate, and several ids may have one slug. Whoever had a slug in an earlier run keeps it, so that entities
 * stay with their device. Where a room and a node had the same one, the room keeps it.
 */
import type { DeviceEntry } from "../../../../../protocols/domain/home-registry.ts"
import type { OwnDevice } from "../../own-devices.ts"
import { slugOf } from "./sensor-entities.ts"

type SlugKind = "node" | "environment"

/** The identifier of a device. */
export const nodeKey = (nodeId: string): string => `node:${nodeId}`
export const environmentKey = (environmentId: string): string => `environment:${environmentId}`

const keyOf = { node: nodeKey, environment: environmentKey } as const
const ofDevice = /^wavepose-(node|environment)-(.+)$/

/** What the ids of a device say; null if it is none of a room or a node. */
const partsOf = ({ deviceId, identifiers }: DeviceEntry) => {
  const [, kind, slug] = ofDevice.exec(deviceId) ?? []
  const key = identifiers[0]?.[1]
  return key === undefined || slug === undefined ? null : { kind: kind as SlugKind, key, slug }
}

/** Returns the slug of an id; the same one each time. */
export type Slugs = (kind: SlugKind, id: string) => string

/** @param known the devices of earlier runs */
export const makeSlugs = (known: ReadonlyArray<OwnDevice>): Slugs => {
  const byKey = new Map<string, string>()
  const taken = new Set<string>()
  const take = (key: string, slug: string): string => {
    byKey.set(key, slug)
    taken.add(slug)
    return slug
  }
  const parts = known.map(({ device }) => partsOf(device)).filter((found) => found !== null)
  for (const { key, slug } of parts.toSorted((a, b) => Number(a.kind === "node") - Number(b.kind === "node"))) {
    if (!taken.has(slug) && !byKey.has(key)) take(key, slug)
  }
  return (kind, id) => {
    const key = keyOf[kind](id)
    const own = byKey.get(key)
    if (own !== undefined) return own
    const slug = slugOf(id)
    for (let n = 1;; n++) {
      const free = n === 1 ? slug : `${slug}_${n}`
      if (!taken.has(free)) return take(key, free)
    }
  }
}

/** Whether a device is of an earlier run, and its room or node has another slug now. */
export const isSuperseded = (device: DeviceEntry, slugs: Slugs): boolean => {
  const parts = partsOf(device)
  return parts !== null && slugs(parts.kind, parts.key.slice(parts.kind.length + 1)) !== parts.slug
}
