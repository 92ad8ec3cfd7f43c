/**
 * The devices of one plugin in the registries of the home, of this life or an earlier one.
 */
import { Effect } from "effect"
import type { DeviceEntry } from "../../../protocols/domain/home-registry.ts"
import type { HomeRegistries } from "../../../protocols/ports/home-registries.ts"

/** A device and the ids of its entities. */
export interface OwnDevice {
  readonly device: DeviceEntry
  readonly entityIds: ReadonlyArray<string>
}

/** The devices whose identifiers all begin with the plugin's domain. */
export const ownDevicesOf = (registries: HomeRegistries["Service"], domain: string) =>
  Effect.gen(function* () {
    const entities = (yield* registries.list("entity")).filter(({ entry }) => entry.platform === domain)
    return (yield* registries.list("device"))
      .filter(({ entry: { identifiers } }) => identifiers.length > 0 && identifiers.every(([of]) => of === domain))
      .map(({ entry: device }): OwnDevice => ({
        device,
        entityIds: entities.filter(({ entry }) => entry.deviceId === device.deviceId).map(({ entry }) =>
          entry.entityId
        ),
      }))
  })
