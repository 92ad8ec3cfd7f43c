/** Doubles of the actors that a pose gateway asks: cluster entities that answer what a `World` says. */
import { Effect, Stream } from "effect"
import { planChange, thisNode } from "../../../actors/session/configuration.ts"
import { ConfigurationMoved, restartSettings } from "../../../protocols/domain/configuration-change.ts"
import {
  ActorUnavailable,
  SystemConflict,
  UnknownEnvironment,
  UnknownRouter,
  UnusableModel,
} from "../../../protocols/domain/failure.ts"
import type { StartOptions, SystemSession } from "../../../protocols/domain/system.ts"
import { Environment } from "../../../protocols/messages/environment.ts"
import { Router } from "../../../protocols/messages/router.ts"
import { Session } from "../../../protocols/messages/session.ts"
import { changedAtMs, type World } from "./world.ts"

const step = { step: "load_configuration", status: "in_progress" as const, progress: 0.5 }

const begun = (world: World, status: SystemSession["status"], options: StartOptions): SystemSession => ({
  ...world.session,
  status,
  sessionId: "session-2",
  estimatedReadyMs: Date.UTC(2099, 0, 1),
  steps: [step],
  options,
})

export const sessionDouble = (world: World) =>
  Session.toLayer(Session.of({
    Status: () => world.sessionSilent ? Effect.never : Effect.succeed(world.session),
    Start: ({ payload }) => {
      if (world.session.status === "running") {
        return Effect.fail(
          new SystemConflict({ status: "running", message: "The system runs already. Stop it first." }),
        )
      }
      const known = payload.environmentId == null ||
        world.environments.some(({ environmentId }) => environmentId === payload.environmentId)
      if (!known) return Effect.fail(UnknownEnvironment.of(payload.environmentId!))
      const { by = thisNode, calibrationRequired = false, ...changes } = payload
      return Effect.map(planChange(world.configuration, changes, by, 0), ({ state }) => {
        world.configuration = state
        return world.session = begun(world, "starting", { ...state.configuration, calibrationRequired })
      })
    },
    Stop: () =>
      world.session.status === "stopped"
        ? Effect.fail(new SystemConflict({ status: "stopped", message: "The system does not run." }))
        : Effect.sync(() => world.session = begun(world, "stopping", world.session.options)),
    Restart: () =>
      world.sessionSilent ? Effect.never : Effect.sync(() => {
        const previousSessionId = world.session.sessionId
        world.session = begun(world, "restarting", world.session.options)
        return { previousSessionId, session: world.session }
      }),
    Configuration: () => Effect.sync(() => world.configuration),
    Configure: ({ payload: { by, changes, ifRevision } }) =>
      Effect.gen(function* () {
        const { status } = world.session
        if (status === "starting") return yield* new SystemConflict({ status, message: "The system is starting." })
        if (ifRevision !== null && ifRevision !== world.configuration.revision) {
          return yield* ConfigurationMoved.of(world.configuration.revision)
        }
        const modelVersion = changes.neuralNetwork?.modelVersion ?? null
        if (modelVersion !== null && world.brokenModels.has(modelVersion)) {
          return yield* new UnusableModel({ modelVersion, message: `Model "${modelVersion}" cannot be used.` })
        }
        if (world.disobeys !== null) {
          return yield* new ActorUnavailable({ actor: "environment living-room", message: world.disobeys })
        }
        const { changed, record, state } = yield* planChange(world.configuration, changes, by, changedAtMs)
        world.configuration = state
        if (record !== null) world.changes.unshift(record.change)
        return {
          ...state,
          changed,
          restartRequired: changed.filter((setting) => restartSettings.has(setting)),
          atMs: changedAtMs,
        }
      }),
  }))

/** The track that an environment follows now. */
const currentTrackId = 7

export const environmentDouble = (world: World) =>
  Environment.toLayer(
    Environment.of({
      Observe: () => Effect.die("not asked by this gateway"),
      Activate: () => Effect.die("not asked by this gateway"),
      Reload: ({ address }) => Effect.sync(() => void world.notified.push(`environment ${address.entityId}`)),
      Deactivate: ({ address }) => Effect.fail(UnknownEnvironment.of(address.entityId)),
      Latest: () => Effect.die("not asked by this gateway"),
      Watch: () => Stream.die("not asked by this gateway"),
      WatchAlerts: ({ address }) => world.alerts(address.entityId),
      Acknowledge: ({ payload }) =>
        Effect.sync(() => {
          world.acknowledged.push(payload)
          return { acknowledged: world.acknowledges }
        }),
      Track: ({ address, payload }) => {
        const record = world.track(address.entityId, payload.trackId)
        return record === "broken" ? Effect.die(new Error("secret detail")) : Effect.succeed(record)
      },
      Tracks: ({ address }) => {
        const record = world.track(address.entityId, currentTrackId)
        if (record === "broken") return Effect.die(new Error("secret detail"))
        return Effect.succeed(record === null ? [] : [{ ...record, trajectory: [] }])
      },
      Describe: ({ address }) => {
        const status = world.describe(address.entityId)
        if (status === "silent") return Effect.never
        return status === "broken" ? Effect.die(new Error("secret detail")) : Effect.succeed(status)
      },
    }),
    // As the actor itself, whose streams do not keep other messages waiting.
    { disableFatalDefects: true, concurrency: "unbounded" },
  )

export const routerDouble = (world: World) => {
  const known = (routerId: string) =>
    Effect.suspend(() => {
      const status = world.routers.get(routerId)
      return status === undefined ? Effect.fail(UnknownRouter.of(routerId)) : Effect.succeed(status)
    })
  return Router.toLayer({
    Ingest: ({ address: { entityId }, payload: { batches } }) =>
      Effect.map(known(entityId), () => {
        world.batches.push(...batches)
        return batches.map(() => world.ingest)
      }),
    Save: () => Effect.die("not asked by this gateway"),
    Tap: () => Stream.die("not asked by this gateway"),
    ForgetEnrolment: ({ address: { entityId } }) => Effect.sync(() => void world.notified.push(`router ${entityId}`)),
    Describe: ({ address: { entityId } }) => known(entityId),
    Calibrate: ({ address: { entityId }, payload: { room } }) =>
      Effect.map(known(entityId), (status) => {
        const running = { room, progress: 0, movingShare: null }
        world.routers.set(entityId, {
          ...status,
          state: "calibrating",
          calibration: { ...status.calibration, running },
        })
      }),
  })
}
