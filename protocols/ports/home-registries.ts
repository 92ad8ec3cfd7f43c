/**
 * The port to the registries of the home-automation runtime.
 *
 * A change fires `<name>_registry_updated` with the action (create, update or remove) and the entry's id.
 */
import { Context, type Effect } from "effect"
import type { RegistryEntry, RegistryName } from "../domain/home-registry.ts"
import type { HomeContext } from "../domain/home.ts"
import type { HomeUnavailable } from "./home-runtime.ts"

/** An entry and the times of its creation and last change, in microseconds since the Unix epoch. */
export interface Registered<Name extends RegistryName> {
  readonly entry: RegistryEntry<Name>
  readonly createdAtUs: number
  readonly modifiedAtUs: number
}

export class HomeRegistries extends Context.Service<HomeRegistries, {
  /** In the order in which they were registered. */
  readonly list: <Name extends RegistryName>(
    name: Name,
  ) => Effect.Effect<ReadonlyArray<Registered<Name>>, HomeUnavailable>
  /** Registers entries, replacing those with the same ids. An equal entry is not a change. */
  readonly put: <Name extends RegistryName>(
    name: Name,
    entries: ReadonlyArray<RegistryEntry<Name>>,
    context: HomeContext,
  ) => Effect.Effect<void, HomeUnavailable>
  /** Ignores ids without an entry. */
  readonly remove: (
    name: RegistryName,
    ids: ReadonlyArray<string>,
    context: HomeContext,
  ) => Effect.Effect<void, HomeUnavailable>
}>()("wavepose/protocols/HomeRegistries") {}
