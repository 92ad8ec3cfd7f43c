/**
 * `npm start -- --replay FILE`: recordings of an empty and of an occupied room over REST.
 */
import { describe, expect, it } from "vitest"
import { hasRecordings, recordingFile } from "../harness/recordings.ts"
import { eventually, signIn, startService } from "../harness/service.ts"

describe.skipIf(!hasRecordings("pulse_esp32"))("replayed recordings over REST", () => {
  it.each([
    ["vacio_01", false],
    ["mov_01", true],
  ])("%s: person present: %s", async (name, present) => {
    const service = await startService({
      args: ["--replay", recordingFile(`pulse_esp32/${name}.csv`), "--speed", "10"],
    })
    const api = await signIn(service)
    const { body } = await eventually(
      () => api.get("/pose/latest"),
      ({ body, status }) => status === 200 && body.metadata.presence.confidence > 0.5,
      30_000,
    )
    expect(body.metadata.presence).toMatchObject({ present })
    expect(body.persons).toEqual([])
    expect(body.metadata.provenance).toMatchObject({ source: "replay", calibrated: false })
    expect(body.metadata.provenance.age_ms).toBeGreaterThanOrEqual(0)
    expect(await service.stop()).toBe(0)
  }, 60_000)
})
