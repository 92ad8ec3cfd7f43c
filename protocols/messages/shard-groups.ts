/**
 * Shard groups: which node roles host which actors. An environment and its archive have the same id and the same group,
 * and so always live on the same node.
 */

/** Routers, environments, archives and the system session: hosted by nodes of role `sensing`. */
const sensing = "sensing"
/** The entities, the bus and the plugins of the home-automation runtime: hosted by nodes of role `home`. */
const home = "home"

export const sensingGroup = (): string => sensing
export const homeGroup = (): string => home
export const shardGroups: ReadonlyArray<string> = [sensing, home]
