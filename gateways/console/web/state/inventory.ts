/** What the service consists of, read again while a panel shows it. */
import { authorised } from "../service/session.ts"
import type { Inventory } from "../service/types.ts"
import { usePolling } from "./polling.ts"
import { makeReading } from "./reading.ts"

const refreshMs = 30_000

const reading = makeReading(() => authorised<Inventory>("/system/inventory"))

export const inventory = reading.value
export const inventoryFault = reading.fault

/** Reads the inventory at once and at an interval. */
export const useInventory = (): void => usePolling(reading.load, refreshMs, "inventory")
