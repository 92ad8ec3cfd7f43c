/** Settings of the edge: privacy classes of nodes, and the host of the bridge. */
import { Effect, Redacted, Result } from "effect"
import { describe, expect, it } from "vitest"
import { classOf, readNodeClasses } from "../../../deploy/settings/edge-settings.ts"
import { readSettings } from "../../../deploy/settings/settings.ts"

const read = (environment: Record<string, string>) => Effect.runSync(readSettings(environment)).edge
const refused = (environment: Record<string, string>) => Effect.runSync(Effect.flip(readSettings(environment))).message

describe("privacy classes", () => {
  it("are anonymous by default, and can be set for each node", () => {
    expect(classOf(read({}).classes, "kitchen")).toBe(2)
    const { classes } = read({ WAVEPOSE_PRIVACY_CLASS: "restricted, kitchen=anonymous ,lab=raw" })
    expect(["kitchen", "lab", "bedroom"].map((nodeId) => classOf(classes, nodeId))).toEqual([2, 0, 3])
    expect(Result.getOrThrow(readNodeClasses("derived")).standard).toBe(1)
  })

  it("are rejected with the name of the variable if invalid", () => {
    for (const wrong of ["secret", "kitchen=", "=raw", "a b=raw", "3"]) {
      expect(refused({ WAVEPOSE_PRIVACY_CLASS: wrong }), wrong).toMatch(/^WAVEPOSE_PRIVACY_CLASS cannot be read/)
    }
  })
})

describe("the bridge", () => {
  it("is on loopback without a token by default", () => {
    expect(read({}).bridge).toEqual({ host: "127.0.0.1", port: 8100, token: null })
    expect(read({ WAVEPOSE_BRIDGE: "off" }).bridge).toBeNull()
    expect(read({ WAVEPOSE_BRIDGE_PORT: "0" }).bridge?.port).toBe(0)
  })

  it("needs a token on another host", () => {
    expect(refused({ WAVEPOSE_BRIDGE_HOST: "0.0.0.0" })).toMatch(/Set WAVEPOSE_BRIDGE_TOKEN/)
    const { bridge } = read({ WAVEPOSE_BRIDGE_HOST: "0.0.0.0", WAVEPOSE_BRIDGE_TOKEN: "a-long-token" })
    expect(Redacted.value(bridge!.token!)).toBe("a-long-token")
    expect(JSON.stringify(bridge)).not.toContain("a-long-token")
  })
})
