/**
 * The newest frame and the tracks.
 */
import { decode } from "fast-png"
import { expect } from "vitest"
import { NoFrames, SystemNotRunning } from "../../../../protocols/domain/failure.ts"
import type { Form } from "../../../../protocols/pose-api/forms.ts"
import { apiKey } from "../accounts.ts"
import type { Answer } from "../contract.ts"
import { makeFrame, makePerson, makeStanding, makeTrack, share } from "../frames.ts"
import type { World } from "../world.ts"
import { data, type Failure, latest, type Subject, validation, wrongField } from "./case.ts"

const twoSites = (world: World) => {
  world.environments.push({ environmentId: "kitchen", name: "Kitchen", geometry: null })
}
const stopped = new SystemNotRunning({ status: "stopped", message: "Start the system first." })
const inKitchen = (answer: Answer, form: Form) => {
  const frame = data(answer, form)
  expect(form === "bare" ? frame.metadata.environment_id : frame.environment_id).toBe("kitchen")
}
const followed = (world: World) => {
  world.track = (_, trackId) => makeTrack(trackId)
}
const tracking = { method: "GET", path: "/pose/tracking/41", template: "/pose/tracking/{track_id}" }

export const pose: Subject = {
  subject: "pose",
  successes: [
    { title: "latest pose", ...latest, as: "viewer", status: 200 },
    { title: "latest pose by API key", ...latest, headers: { "X-API-Key": apiKey }, status: 200 },
    {
      title: "latest pose, filtered",
      ...latest,
      path: "/pose/latest?environment_id=living-room&min_confidence=0.9&include_keypoints=false&include_3d=true",
      as: "viewer",
      status: 200,
      check: (answer, form) => {
        const { persons } = data(answer, form)
        expect(persons).toHaveLength(1)
        expect(persons[0].keypoints).toBeUndefined()
        expect(persons[0].keypoints_3d).toHaveLength(7)
      },
    },
    {
      title: "latest pose with the dense pose of each person, or the reason for none",
      ...latest,
      path: "/pose/latest?include_dense_pose=true",
      as: "viewer",
      given: (world) => {
        world.latest = () => share(makeFrame({ persons: [makeStanding(1, 0.9), makePerson(2, 0.8)] }))
      },
      status: 200,
      check: (answer, form) => {
        const [standing, incomplete] = data(answer, form).persons
        expect(standing.dense_pose).toMatchObject({ derived: true, method: "fitted-body", reason: null })
        expect(incomplete.dense_pose).toMatchObject({ derived: true, reason: expect.stringContaining("17 keypoints") })
        if (form === "bare") {
          const ids = standing.dense_pose.body_parts.map(({ part_id }: { part_id: number }) => part_id)
          expect(ids).toEqual(expect.arrayContaining([2, 3, 4, 5, 6, 9, 10, 13, 14, 23, 24]))
          expect(incomplete.dense_pose.body_parts).toEqual([])
        } else {
          const { height, width } = decode(Buffer.from(standing.dense_pose.iuv_image, "base64"))
          expect(Math.max(height, width)).toBe(112)
          expect(incomplete.dense_pose).toMatchObject({ iuv_image: null, confidence_map: null })
        }
      },
    },
    {
      title: "latest pose without dense poses by default",
      ...latest,
      as: "viewer",
      given: (world) => {
        world.latest = () => share(makeFrame({ persons: [makeStanding(1, 0.9)] }))
      },
      status: 200,
      check: (answer, form) => expect(data(answer, form).persons[0]).not.toHaveProperty("dense_pose"),
    },
    {
      title: "latest pose with unsupported values",
      ...latest,
      as: "viewer",
      given: (world) => {
        world.latest = () =>
          share(makeFrame({
            persons: [],
            signalQuality: null,
            motion: null,
            view: null,
            presence: { present: null, confidence: 0, reason: "no calibration" },
            capabilities: ["presence", "motion"],
            personsReason: "one link supports presence and motion only",
          }))
      },
      status: 200,
      check: (answer, form) => {
        const { metadata } = data(answer, form)
        expect(metadata[form === "bare" ? "signal_quality" : "csi_quality"]).toBeNull()
        expect(metadata.presence).toEqual({ present: null, confidence: 0, reason: "no calibration" })
      },
    },
    {
      title: "latest pose of all environments: the newest",
      ...latest,
      as: "viewer",
      given: (world) => {
        twoSites(world)
        const { timestampMs } = makeFrame()
        world.latest = (environmentId) =>
          share(makeFrame({ environmentId, timestampMs: timestampMs + (environmentId === "kitchen" ? 100 : 0) }))
      },
      status: 200,
      check: inKitchen,
    },
    {
      title: "latest pose of a session with one environment",
      ...latest,
      as: "viewer",
      given: (world) => {
        twoSites(world)
        world.session = { ...world.session, options: { ...world.session.options, environmentId: "kitchen" } }
        world.latest = (environmentId) => environmentId === "kitchen" ? share(makeFrame({ environmentId })) : stopped
      },
      status: 200,
      check: inKitchen,
    },
    {
      title: "a track",
      ...tracking,
      as: "viewer",
      given: followed,
      status: 200,
      check: (answer, form) =>
        expect(data(answer, form)).toEqual({
          track_id: 41,
          person_id: 41,
          first_seen: "2026-01-05T09:30:00.000Z",
          last_seen: "2026-01-05T09:30:20.000Z",
          duration_seconds: 20,
          total_frames: 150,
          average_confidence: 0.8765,
          status: "active",
          statistics: { movement_distance: 12.346, average_speed: 1.029, time_stationary: 3, time_moving: 12 },
        }),
    },
    {
      title: "a track with its trajectory",
      ...tracking,
      path: "/pose/tracking/41?include_trajectory=true",
      as: "viewer",
      given: followed,
      status: 200,
      check: (answer, form) => {
        const { trajectory } = data(answer, form)
        expect(trajectory).toHaveLength(3)
        expect(trajectory[1]).toEqual({
          timestamp: "2026-01-05T09:30:10.000Z",
          center_x: 1.235,
          center_y: 2,
          confidence: 0.9,
        })
      },
    },
    {
      title: "a track's trajectory between two times, both included",
      ...tracking,
      path:
        "/pose/tracking/41?include_trajectory=true&start_time=2026-01-05T09:30:05Z&end_time=2026-01-05T10:30:20%2B01:00",
      as: "viewer",
      given: followed,
      status: 200,
      check: (answer, form) =>
        expect(data(answer, form).trajectory.map(({ timestamp }: { timestamp: string }) => timestamp.slice(17, 19)))
          .toEqual(["10", "20"]),
    },
    {
      title: "the current tracks of all environments, though one of them is broken",
      method: "GET",
      path: "/pose/tracking",
      as: "viewer",
      given: (world) => {
        twoSites(world)
        world.track = (environmentId, trackId) => environmentId === "kitchen" ? makeTrack(trackId) : "broken"
      },
      status: 200,
      check: (answer, form) => {
        const { tracks, unavailable_environments } = data(answer, form)
        expect(tracks).toMatchObject([{ environment_id: "kitchen", track_id: 7, status: "active", total_frames: 150 }])
        expect(unavailable_environments).toEqual(["living-room"])
      },
    },
    {
      title: "the current tracks of an environment without any",
      method: "GET",
      path: "/pose/tracking?environment_id=living-room",
      as: "viewer",
      status: 200,
      check: (answer, form) => expect(data(answer, form)).toEqual({ tracks: [], unavailable_environments: [] }),
    },
    {
      title: "a track of any of several environments, one of which fails",
      ...tracking,
      as: "viewer",
      given: (world) => {
        twoSites(world)
        world.track = (environmentId, trackId) => environmentId === "kitchen" ? makeTrack(trackId) : "broken"
      },
      status: 200,
    },
    {
      title: "a track of the named environment",
      ...tracking,
      path: "/pose/tracking/41?environment_id=kitchen",
      as: "viewer",
      given: (world) => {
        twoSites(world)
        world.track = (environmentId, trackId) =>
          environmentId === "kitchen" ? { ...makeTrack(trackId), status: "ended" } : makeTrack(trackId)
      },
      status: 200,
      check: (answer, form) => expect(data(answer, form).status).toBe("ended"),
    },
  ],
  failures: [
    {
      title: "current tracks of an unknown environment",
      method: "GET",
      path: "/pose/tracking?environment_id=attic",
      as: "viewer",
      status: 404,
      code: "RESOURCE_NOT_FOUND",
    },
    {
      title: "current tracks when no environment answers",
      method: "GET",
      path: "/pose/tracking",
      as: "viewer",
      given: (world) => {
        world.track = () => "broken"
      },
      status: 503,
      code: "SERVICE_UNAVAILABLE",
    },
    {
      title: "no frame yet",
      ...latest,
      as: "viewer",
      given: (world) => {
        world.latest = (environmentId) => new NoFrames({ environmentId, message: "No router streams." })
      },
      status: 404,
      code: { bare: "POSE_DATA_NOT_FOUND", envelope: "RESOURCE_NOT_FOUND" },
      check: (answer) => expect(answer.json.error.details.reason).toBe("No router streams."),
    },
    {
      title: "an unknown environment",
      ...latest,
      path: "/pose/latest?environment_id=attic",
      as: "viewer",
      status: 404,
      code: "RESOURCE_NOT_FOUND",
    },
    {
      title: "a stopped system",
      ...latest,
      as: "viewer",
      given: (world) => {
        world.latest = () => stopped
      },
      status: 503,
      code: "SERVICE_UNAVAILABLE",
    },
    {
      title: "a system that is stopped in two environments",
      ...latest,
      as: "viewer",
      given: (world) => {
        twoSites(world)
        world.latest = () => stopped
      },
      status: 503,
      code: "SERVICE_UNAVAILABLE",
    },
    {
      title: "no frame yet in two environments",
      ...latest,
      as: "viewer",
      given: (world) => {
        twoSites(world)
        world.latest = (environmentId) => new NoFrames({ environmentId, message: "No router streams." })
      },
      status: 404,
      code: { bare: "POSE_DATA_NOT_FOUND", envelope: "RESOURCE_NOT_FOUND" },
      check: (answer) => {
        expect(answer.json.error.details.environment_id).toBeNull()
        expect(answer.json.error.details.reason).toContain("kitchen: No router streams.")
      },
    },
    {
      title: "no environment in a running system",
      ...latest,
      as: "viewer",
      given: (world) => {
        world.environments = []
      },
      status: 404,
      code: { bare: "POSE_DATA_NOT_FOUND", envelope: "RESOURCE_NOT_FOUND" },
      check: (answer) => expect(answer.json.error.message).toContain("No environment is enrolled"),
    },
    {
      title: "no environment in a stopped system",
      ...latest,
      as: "viewer",
      given: (world) => {
        world.environments = []
        world.session = { ...world.session, status: "stopped" }
      },
      status: 503,
      code: "SERVICE_UNAVAILABLE",
    },
    {
      title: "an unknown track",
      ...tracking,
      as: "viewer",
      status: 404,
      code: { bare: "POSE_DATA_NOT_FOUND", envelope: "RESOURCE_NOT_FOUND" },
      check: (answer) => expect(answer.json.error.details).toEqual({ resource: "track", track_id: 41 }),
    },
    {
      title: "a track that the session's environment does not have",
      ...tracking,
      as: "viewer",
      given: (world) => {
        twoSites(world)
        world.session = { ...world.session, options: { ...world.session.options, environmentId: "kitchen" } }
        world.track = (environmentId, trackId) => environmentId === "kitchen" ? null : makeTrack(trackId)
      },
      status: 404,
      code: { bare: "POSE_DATA_NOT_FOUND", envelope: "RESOURCE_NOT_FOUND" },
    },
    {
      title: "a track that a failing environment may have",
      ...tracking,
      as: "viewer",
      given: (world) => {
        twoSites(world)
        world.track = (environmentId) => environmentId === "kitchen" ? null : "broken"
      },
      status: 503,
      code: "SERVICE_UNAVAILABLE",
      check: (answer) => expect(JSON.stringify(answer.json)).not.toContain("secret detail"),
    },
    ...["0", "-1", "1.5", "abc", "2147483648", "99999999999999999999"].map((id): Failure => ({
      title: `the track ${id}, which is no id`,
      ...tracking,
      path: `/pose/tracking/${id}`,
      as: "viewer",
      given: followed,
      status: 422,
      code: validation,
      check: (answer, form) => expect(wrongField(answer, form)).toBe("track_id"),
    })),
    {
      title: "a track between times in the wrong order",
      ...tracking,
      path: "/pose/tracking/41?start_time=2026-01-05T09:30:05Z&end_time=2026-01-05T09:30:04Z",
      as: "viewer",
      given: followed,
      status: 422,
      code: validation,
    },
  ],
}
