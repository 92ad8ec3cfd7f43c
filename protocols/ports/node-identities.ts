/**
 * Identities of sensing nodes: the ports of operators and of listeners. The store implements them.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { NetworkIdentity, NodeIdentity, NodeStanding } from "../domain/node-identity.ts"
import type { Position } from "../../core/identity/replay-window.ts"

/** A key that verifies a node's datagrams. */
export interface NodeKey {
  readonly keyNumber: number
  readonly nodeId: string
  readonly key: Uint8Array
  /** The position of the newest datagram that any listener accepted; null if none was. */
  readonly position: Position | null
}

/** A node that has sent datagrams to a listener since its last report. */
export interface NodeObservation {
  readonly nodeId: string
  readonly atMs: number
  readonly signed: boolean
}

/** The position of a key at a listener. */
export interface KeyObservation extends Position {
  readonly keyNumber: number
}

/** The standings and keys by which a listener admits datagrams. */
export interface NodeAllowlist {
  readonly standings: ReadonlyMap<string, NodeStanding>
  readonly keys: ReadonlyArray<NodeKey>
}

/** Decisions of operators about nodes. */
export class NodeIdentities extends Context.Service<NodeIdentities, {
  readonly all: Effect.Effect<ReadonlyArray<NodeIdentity>, StoreUnavailable>
  /**
   * Gives a node a key, which is returned only here. The key before it is valid until the new one is first used; older keys are not valid.
   */
  readonly enrol: (nodeId: string, by: string) => Effect.Effect<
    { readonly node: NodeIdentity; readonly keyNumber: number; readonly key: Uint8Array },
    StoreUnavailable
  >
  /** Drops the datagrams of a node; its keys stay. The node may be unknown. */
  readonly quarantine: (
    nodeId: string,
    reason: string | null,
    by: string,
  ) => Effect.Effect<NodeIdentity, StoreUnavailable>
  /** Accepts the datagrams of a quarantined or seen node; they must be signed if it has a key. Null if the node is unknown or revoked. */
  readonly release: (nodeId: string, by: string) => Effect.Effect<NodeIdentity | null, StoreUnavailable>
  /** Deletes a node's keys and rejects its datagrams; false if the node is unknown. */
  readonly revoke: (nodeId: string, reason: string | null, by: string) => Effect.Effect<boolean, StoreUnavailable>
}>()("wavepose/protocols/NodeIdentities") {}

/** What listeners read and report, about once a second. */
export class NodeAllowlists extends Context.Service<NodeAllowlists, {
  readonly current: Effect.Effect<NodeAllowlist, StoreUnavailable>
  /** Stores what a listener has received. The use of a key ends the older keys of its node. */
  readonly report: (
    nodes: ReadonlyArray<NodeObservation>,
    keys: ReadonlyArray<KeyObservation>,
  ) => Effect.Effect<void, StoreUnavailable>
}>()("wavepose/protocols/NodeAllowlists") {}

/** The identities of nodes for the registry of edge nodes, at most a second old. */
export class NodeRegistry extends Context.Service<NodeRegistry, {
  /** The standing under the service's policy, and whether the last datagram was signed; null if none arrived, e.g. over gRPC. */
  readonly standingOf: (
    nodeId: string,
  ) => Effect.Effect<{ readonly standing: NodeStanding; readonly signed: boolean | null }, StoreUnavailable>
  readonly network: Effect.Effect<NetworkIdentity, StoreUnavailable>
}>()("wavepose/protocols/NodeRegistry") {}
