/** Which references make room for others. */
import { expect, it } from "vitest"
import { StoredReferences } from "../../../core/reduction/stored-references.ts"
import type { Reference } from "../../../core/signal/reference.ts"
import { layout } from "./packets.ts"

const reference = (transmitterId: string, version: number | null): Reference => ({
  transmitterId,
  calibration: version === null ? null : { version } as NonNullable<Reference["calibration"]>,
  hops: 100,
  response: new Float32Array(2),
  layout,
})

it("running means make room before calibrations, and the oldest first", () => {
  const stored = new StoredReferences()
  stored.keep(reference("calibrated", 1))
  for (let i = 0; i < 130; i++) stored.keep(reference(`phone ${i}`, null))
  expect(stored.all).toHaveLength(128)
  expect(stored.take("phone 2", layout)).toBeNull()
  expect(stored.take("phone 3", layout)).not.toBeNull()
  for (let i = 0; i < 127; i++) stored.keep(reference(`router ${i}`, 1))
  expect(stored.take("phone 129", layout)).toBeNull()
  expect(stored.take("calibrated", layout)).not.toBeNull()
  stored.keep(reference("calibrated", 1))
  for (let i = 127; i < 129; i++) stored.keep(reference(`router ${i}`, 1))
  expect(stored.take("router 0", layout)).toBeNull()
  expect(stored.take("calibrated", layout)).not.toBeNull()
})
