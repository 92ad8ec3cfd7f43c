/** The peer csiread (Python), and what it is asked. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Measured } from "../harness.ts"
import { startPython } from "./python.ts"

const packages = ["csiread==1.4.1", "numpy"]

/** How csiread reads a format. */
export interface CsireadCall {
  readonly class: "Intel" | "Atheros" | "Nexmon" | "ESP32" | "Picoscenes"
  readonly arguments: Readonly<Record<string, unknown>>
  readonly read: Readonly<Record<string, unknown>>
  /** Axes of its array that are frame, receive antenna, transmit antenna and tone. */
  readonly axes: readonly [number, number, number, number]
  /** Whether its tones are in the order of a transform, the centre first. */
  readonly transform_order: boolean
}

/** An array of csiread: complex64 [frame, rx, tx, tone], interleaved. */
export interface CsireadArray {
  readonly shape: readonly [number, number, number, number]
  readonly values: Float32Array
}

export interface Csiread {
  readonly versions: Readonly<Record<string, string>>
  readonly export: (capture: string, call: CsireadCall) => Promise<CsireadArray>
  readonly measure: (capture: string, call: CsireadCall, budgetMs: number) => Promise<Measured>
  readonly stop: () => void
}

/** Starts csiread; returns why it cannot run where it does not. */
export const startCsiread = async (): Promise<Csiread | string> => {
  const peer = await startPython("csiread_peer.py", packages)
  if (typeof peer === "string") return `csiread: ${peer}`
  return {
    versions: peer.hello as Csiread["versions"],
    export: async (capture, call) => {
      const folder = mkdtempSync(join(tmpdir(), "wavepose-bench-"))
      try {
        const out = join(folder, "array.bin")
        const { shape } = await peer.ask({ do: "export", capture, out, ...call })
        return { shape, values: new Float32Array(new Uint8Array(readFileSync(out)).buffer) }
      } finally {
        rmSync(folder, { recursive: true })
      }
    },
    measure: (capture, call, budgetMs) => peer.ask({ do: "measure", capture, budget_ms: budgetMs, ...call }),
    stop: peer.stop,
  }
}
