/** What the service consists of, read again while a panel shows it. */
import { signal } from "@preact/signals"
import { authorised } from "../service/session.ts"
import type { Inventory } from "../service/types.ts"
import { usePolling } from "./polling.ts"

const refreshMs = 30_000

export const inventory = signal<Inventory | null>(null)
export const inventoryFault = signal<string | null>(null)

const load = async (): Promise<void> => {
  try {
    inventory.value = await authorised<Inventory>("/system/inventory")
    inventoryFault.value = null
  } catch (cause) {
    inventoryFault.value = (cause as Error).message
  }
}

/** Reads the inventory at once and at an interval. */
export const useInventory = (): void => void usePolling(load, refreshMs, "inventory")
