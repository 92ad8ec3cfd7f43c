/** The stores of a node that was started with a source, for tests of what is active. */
import { ManagedRuntime } from "effect"
import type { StartedWith } from "../../actors/store/sensing/node-sources.ts"
import { layerStores } from "../../deploy/composition/service.ts"
import type { TestDatabase } from "./database.ts"

const keys = { given: [], file: "no such file", mayMake: false }

/** A node that runs until it is disposed of. */
export const nodeStores = ({ location }: TestDatabase, startedWith: Partial<StartedWith>) =>
  ManagedRuntime.make(layerStores(location, {
    keys,
    privacy: null,
    startedWith: { source: "live", environmentIds: [], keepsAll: false, alone: false, ...startedWith },
  }))
