import { describe, expect, it } from "vitest"
import { trackIdMax } from "../../../protocols/domain/track.ts"
import { openApiDocument } from "../../../protocols/pose-api/openapi.ts"
import { poseTracking, trackIdOf } from "../../../protocols/pose-api/tracking.ts"

// deno-lint-ignore no-explicit-any
type Json = any

describe("the id of a track in a path", () => {
  const document: Json = openApiDocument([poseTracking], "1.0.0")
  const [parameter] = document.paths["/api/v1/pose/tracking/{track_id}"].get.parameters
  const pattern = new RegExp(parameter.schema.pattern)
  const random = Array.from({ length: 200 }, (_, i) => 1 + i * Math.floor(trackIdMax / 200))

  it.each([1, 9, 10, 999_999_999, 1_000_000_000, 2_000_000_000, 2_147_483_639, trackIdMax, ...random])(
    "may be %i, in the document and in the handler",
    (id) => {
      expect([parameter.name, pattern.test(String(id)), trackIdOf(String(id))]).toEqual(["track_id", true, id])
    },
  )

  it.each([
    "0",
    "-1",
    "01",
    "1.0",
    "1e3",
    "",
    " 1",
    "2147483648",
    "2147483650",
    "2200000000",
    "3000000000",
    "10000000000",
  ])(
    "may not be %j, in the document and in the handler",
    (text) => {
      expect([pattern.test(text), trackIdOf(text)]).toEqual([false, null])
    },
  )
})
