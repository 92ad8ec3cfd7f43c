import { describe, expect, it } from "vitest"
import { posesService, readWatchRequest } from "../../../protocols/grpc/services.ts"

describe("WatchRequest", () => {
  it.each([null, 0, 3, Number.MAX_SAFE_INTEGER])(
    "has the frame id %s as a number, which a statement can hold",
    (afterFrameId) => {
      const bytes = posesService.Watch.requestSerialize({ environmentId: "room", afterFrameId })
      expect(readWatchRequest(bytes)).toStrictEqual({ environmentId: "room", afterFrameId })
    },
  )
})
