/**
 * Identities of sensing nodes: ports through which edges decide about them and check what they send. The store answers.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { NetworkIdentity, NodeIdentity, NodeStanding } from "../domain/node-identity.ts"
import type { Position } from "../../core/identity/replay-window.ts"

/** A key by which a node's datagrams are checked. */
export interface NodeKey {
  readonly keyNumber: number
  readonly nodeId: string
  readonly key: Uint8Array
  /** How far its datagrams were taken, by any listener; null: none was. */
  readonly position: Position | null
}

/** What a listener has heard of a node since it told last. */
export interface NodeObservation {
  readonly nodeId: string
  readonly atMs: number
  readonly signed: boolean
}

/** How far a key has come at a listener. */
export interface KeyObservation extends Position {
  readonly keyNumber: number
}

/** What a listener needs to decide about every datagram. */
export interface NodeRoll {
  readonly standings: ReadonlyMap<string, NodeStanding>
  readonly keys: ReadonlyArray<NodeKey>
}

/** What operators decide about nodes. */
export class NodeIdentities extends Context.Service<NodeIdentities, {
  readonly all: Effect.Effect<ReadonlyArray<NodeIdentity>, StoreUnavailable>
  /**
   * Gives a node a key, which is answered here and never again. An older one is good until this one is used first; of those before it
   * none is.
   */
  readonly enrol: (nodeId: string, by: string) => Effect.Effect<
    { readonly node: NodeIdentity; readonly keyNumber: number; readonly key: Uint8Array },
    StoreUnavailable
  >
  /** Drops what a node sends, for this reason; its keys stay. Also of one that was never heard. */
  readonly quarantine: (
    nodeId: string,
    reason: string | null,
    by: string,
  ) => Effect.Effect<NodeIdentity, StoreUnavailable>
  /** Takes what a quarantined or seen node sends: signed, if it has a key. Null when there is none of this id, or it is revoked. */
  readonly release: (nodeId: string, by: string) => Effect.Effect<NodeIdentity | null, StoreUnavailable>
  /** Destroys a node's keys and refuses it; false when there is none of this id. */
  readonly revoke: (nodeId: string, reason: string | null, by: string) => Effect.Effect<boolean, StoreUnavailable>
}>()("wavepose/protocols/NodeIdentities") {}

/** What listeners ask, and tell; about once a second. */
export class NodeRolls extends Context.Service<NodeRolls, {
  readonly current: Effect.Effect<NodeRoll, StoreUnavailable>
  /** Writes what was heard; the use of a key ends the older ones of its node. */
  readonly tell: (
    nodes: ReadonlyArray<NodeObservation>,
    keys: ReadonlyArray<KeyObservation>,
  ) => Effect.Effect<void, StoreUnavailable>
}>()("wavepose/protocols/NodeRolls") {}

/** What the registry of edge nodes says of identities; not older than a second. */
export class NodeRegistry extends Context.Service<NodeRegistry, {
  /** The standing under the service's policy, and whether the last datagram was signed; null where none came, as by gRPC. */
  readonly standingOf: (
    nodeId: string,
  ) => Effect.Effect<{ readonly standing: NodeStanding; readonly signed: boolean | null }, StoreUnavailable>
  readonly network: Effect.Effect<NetworkIdentity, StoreUnavailable>
}>()("wavepose/protocols/NodeRegistry") {}
