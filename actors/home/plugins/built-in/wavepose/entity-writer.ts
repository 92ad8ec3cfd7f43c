/**
 * Writes the entities of the sensing plugin, and registers each with its device and area before its first state.
 *
 * Boundary: `write-throttle.ts` decides when an entity is written.
 */
import { Clock, Effect, Option } from "effect"
import { Sharding } from "effect/cluster"
import type { BuiltInHome } from "../../built-ins.ts"
import type { OwnDevice } from "../../own-devices.ts"
import type { Sensed, SensedDevice } from "./sensor-entities.ts"
import { makeWriteThrottle } from "./write-throttle.ts"

/** Whether this node is stopping. Its actors then end one after the other, and writes to ended ones fail. */
const isStopping = Effect.flatMap(
  Effect.serviceOption(Sharding.Sharding),
  Option.match({ onNone: () => Effect.succeed(false), onSome: ({ isShutdown }) => isShutdown }),
)

/** Writes entities, and registers each with its device before its first state. */
export const makeWriter = ({ capabilities }: BuiltInHome) => {
  const throttle = makeWriteThrottle()
  const known = new Set<string>()
  /** Writes that failed since the last that succeeded; the log has the first, and the number. */
  let failures = 0

  const failed = (entityId: string, message: string) =>
    Effect.suspend(() => failures++ === 0 ? Effect.logWarning(`could not write ${entityId}: ${message}`) : Effect.void)
  const written = Effect.suspend(() => {
    const before = failures
    failures = 0
    return before === 0 ? Effect.void : Effect.logInfo(`entities are written again failures=${before}`)
  })

  const register = Effect.fnUntraced(function* ({ area, order }: SensedDevice, entity: Sensed) {
    if (!known.has(order.deviceId)) {
      if (area !== null) yield* capabilities.registerArea(area)
      yield* capabilities.registerDevice(order)
      known.add(order.deviceId)
    }
    if (known.has(entity.entityId)) return
    const { deviceId, diagnostic, entityId, name, uniqueId } = entity
    const entityCategory = diagnostic ? "diagnostic" as const : null
    yield* capabilities.registerEntity({ entityId, uniqueId, deviceId, name, originalName: name, entityCategory })
    known.add(entityId)
  })

  const put = Effect.fnUntraced(function* (device: SensedDevice, entities: ReadonlyArray<Sensed>) {
    for (const entity of throttle.due(entities, yield* Clock.currentTimeMillis)) {
      yield* Effect.andThen(register(device, entity), capabilities.set(entity.entityId, entity)).pipe(
        Effect.andThen(written),
        Effect.catch((error) => {
          throttle.forget(entity.entityId)
          return Effect.flatMap(
            isStopping,
            (stopping) => stopping ? Effect.void : failed(entity.entityId, error.message),
          )
        }),
      )
    }
  })
  /** The next write of the device registers it again. */
  const forget = ({ device, entityIds }: OwnDevice) => {
    known.delete(device.deviceId)
    for (const entityId of entityIds) {
      known.delete(entityId)
      throttle.forget(entityId)
    }
  }
  return { put, forget }
}
export type Writer = ReturnType<typeof makeWriter>
