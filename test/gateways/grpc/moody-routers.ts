/** The gRPC edge before routers that take a batch each in their own way. */
import { Effect } from "effect"
import { InvalidBatch, StoreUnavailable, UnknownRouter } from "../../../protocols/domain/failure.ts"
import { ActorGaveUp } from "../../../protocols/messages/unavailable-actors.ts"
import { RouterDouble } from "../cluster.ts"
import { withGrpcServer } from "./site.ts"

/**
 * Routers: `slow` never answers, `strange` is not enrolled, `far` is unreachable, `picky` refuses, `broken` and `resting`
 * meet a defect and its consequence, the others accept.
 */
const routers = () =>
  new RouterDouble((routerId) => {
    switch (routerId) {
      case "strange":
        return Effect.fail(UnknownRouter.of(routerId))
      case "picky":
        return Effect.fail(new InvalidBatch({ field: "layout", message: "layout changed" }))
      case "far":
        return Effect.fail(new StoreUnavailable({ message: "the store is away" }))
      case "broken":
        return Effect.die(new Error("secret detail"))
      case "resting":
        return Effect.die(new ActorGaveUp("Router/resting broke too often"))
      case "slow":
        return Effect.never
      default:
        return Effect.succeed({ acceptedFrames: 9, droppedFrames: 1, dropReason: "an outlier" })
    }
  })

export const withServer = (
  test: Parameters<typeof withGrpcServer>[0],
  options: Parameters<typeof withGrpcServer>[1] = {},
  router: RouterDouble = routers(),
): Promise<void> => withGrpcServer(test, options, router)
