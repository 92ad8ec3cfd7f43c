import { decode } from "fast-png"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { defaultDetection } from "../../../protocols/domain/configuration.ts"
import { NoFrames, SystemNotRunning } from "../../../protocols/domain/failure.ts"
import { type Form, forms } from "../../../protocols/http/forms.ts"
import { type Answer, call, type Contract, readContract, type Request } from "./contract.ts"
import { makeFrame, makePerson, makeStanding, makeTrack, share } from "./frames.ts"
import { refreshToken } from "./accounts.ts"
import { apiKey, type Gateway, makeWebhook, password, startGateway, users, version, type World } from "./harness.ts"
import { homeToken } from "../../harness/home-tokens.ts"

let gateway: Gateway
let contract: Contract

beforeEach(async () => {
  gateway = await startGateway()
  contract = await readContract(gateway)
})
afterEach(() => gateway.stop())

interface Case extends Request {
  readonly title: string
  /** The path as the document has it, where it differs. */
  readonly template?: string
  readonly as?: "viewer" | "operator" | "admin"
  readonly given?: (world: World) => void
  readonly status: number
  /** Error code per form. */
  readonly code?: string | Record<Form, string>
  readonly check?: (answer: Answer, form: Form) => void
}

const stopped = (world: World) => {
  world.session = { ...world.session, status: "stopped", sessionId: null, startedAtMs: null }
}
const twoSites = (world: World) => {
  world.environments.push({ environmentId: "kitchen", name: "Kitchen", geometry: null })
}
const followed = (world: World) => {
  world.track = (_, trackId) => makeTrack(trackId)
}
const storeDown = (world: World) => {
  world.storeFails = true
}
const latest = { method: "GET", path: "/pose/latest" }
const tracking = { method: "GET", path: "/pose/tracking/41", template: "/pose/tracking/{track_id}" }
const status = { method: "GET", path: "/system/status" }
const diagnostics = { method: "GET", path: "/system/diagnostics" }
const start = { method: "POST", path: "/system/start" }
const stop = { method: "POST", path: "/system/stop" }
const signIn = { method: "POST", path: "/auth/token" }
const keys = { method: "POST", path: "/auth/api-keys" }
const webhook = { method: "GET", path: "/webhooks/a", template: "/webhooks/{webhook_id}" }
const aWebhook = (world: World) => void world.webhooks.set("a", makeWebhook("a"))
const credentials = { username: users.viewer, password }
const newUser = { username: "nora", role: "viewer", password: "a password for nora" }
const oneUser = { path: `/auth/users/${users.viewer}`, template: "/auth/users/{user_id}" }
const otherUser = { path: "/auth/users/nobody", template: "/auth/users/{user_id}" }
const lastAdmin = { path: `/auth/users/${users.admin}`, template: "/auth/users/{user_id}" }
const ownPassword = { method: "POST", path: "/auth/password" }

const times = "start_time=2026-01-05T00:00:00Z&end_time=2026-01-06T00:00:00Z"
const reports = ["healthcare", "retail", "security", `summary?${times}`, `occupancy?${times}`, "events"]
  .map((name) => ({ title: `analytics: ${name}`, method: "GET", path: `/analytics/${name}` }))

const data = (answer: Answer, form: Form) => form === "bare" ? answer.json : answer.json.data

const successes: ReadonlyArray<Case> = [
  // On a store in which nothing is; with something in it: analytics.test.ts and metrics.test.ts.
  ...reports.map((report): Case => ({ ...report, as: "viewer", status: 200 })),
  { title: "detailed health", method: "GET", path: "/health/detailed", as: "viewer", status: 200 },
  { title: "metrics", method: "GET", path: "/metrics", as: "viewer", status: 200 },
  { title: "health", method: "GET", path: "/health", status: 200 },
  { title: "health without a store", method: "GET", path: "/health", given: storeDown, status: 200 },
  { title: "sign in", ...signIn, body: credentials, status: 200 },
  { title: "refresh", method: "POST", path: "/auth/refresh", body: { refresh_token: refreshToken }, status: 200 },
  { title: "sign out", method: "POST", path: "/auth/logout", body: { refresh_token: refreshToken }, status: 204 },
  { title: "sign out of nothing", method: "POST", path: "/auth/logout", body: { refresh_token: "x" }, status: 204 },
  { title: "a new signing key", method: "POST", path: "/auth/keys/rotate", as: "admin", status: 200 },
  { title: "list users", method: "GET", path: "/auth/users", as: "admin", status: 200 },
  { title: "add a user", method: "POST", path: "/auth/users", as: "admin", body: newUser, status: 201 },
  { title: "change a user", method: "PUT", ...oneUser, as: "admin", body: { role: "operator" }, status: 200 },
  { title: "remove a user", method: "DELETE", ...oneUser, as: "admin", status: 204 },
  {
    title: "change one's password",
    ...ownPassword,
    as: "viewer",
    body: { current_password: password, new_password: "another long password" },
    status: 204,
  },
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
    title: "latest pose with the surface of each person, or why there is none",
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
    title: "latest pose without surfaces where they are not asked for",
    ...latest,
    as: "viewer",
    given: (world) => {
      world.latest = () => share(makeFrame({ persons: [makeStanding(1, 0.9)] }))
    },
    status: 200,
    check: (answer, form) => expect(data(answer, form).persons[0]).not.toHaveProperty("dense_pose"),
  },
  {
    title: "latest pose of what the signal does not say",
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
    title: "latest pose of the session's environment",
    ...latest,
    as: "viewer",
    given: (world) => {
      twoSites(world)
      world.session = { ...world.session, options: { ...world.session.options, environmentId: "kitchen" } }
      world.latest = (environmentId) => share(makeFrame({ environmentId }))
    },
    status: 200,
    check: (answer, form) => {
      const frame = data(answer, form)
      expect(form === "bare" ? frame.metadata.environment_id : frame.environment_id).toBe("kitchen")
    },
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
    title: "a track of any of several environments, though one of them is broken",
    ...tracking,
    as: "viewer",
    given: (world) => {
      twoSites(world)
      world.track = (environmentId, trackId) => environmentId === "kitchen" ? makeTrack(trackId) : "broken"
    },
    status: 200,
  },
  {
    title: "a track of the environment that is named",
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
  { title: "system status", ...status, as: "viewer", status: 200 },
  { title: "diagnostics", ...diagnostics, as: "operator", status: 200 },
  { title: "diagnostics while stopped", ...diagnostics, as: "operator", given: stopped, status: 200 },
  { title: "system status while stopped", ...status, as: "viewer", given: stopped, status: 200 },
  {
    title: "system status of an environment that does not answer",
    ...status,
    as: "viewer",
    given: (world) => {
      world.describe = () => "broken"
    },
    status: 200,
    check: (answer, form) => {
      const { components } = data(answer, form)
      expect(components[form === "bare" ? "csi_receiver" : "csi_processor"].status).toBe("unavailable")
      expect(JSON.stringify(answer.json)).not.toContain("secret detail")
    },
  },
  { title: "start with nothing said", ...start, as: "operator", given: stopped, status: 202 },
  {
    title: "start with the bare form's fields",
    ...start,
    as: "operator",
    given: stopped,
    body: { configuration: { domain: "healthcare", environment_id: "living-room", calibration_required: true } },
    status: 202,
    check: (answer, form) => {
      if (form === "bare") expect(answer.json.initialization_steps).toHaveLength(1)
      else expect(answer.json.data.configuration_applied.domain).toBe("healthcare")
    },
  },
  {
    title: "start with the envelope form's fields",
    ...start,
    as: "operator",
    given: stopped,
    body: {
      configuration: {
        domain: "security",
        environment_id: "living-room",
        detection_settings: { confidence_threshold: 0.7, max_persons: 5, enable_tracking: false },
        hardware_settings: { csi_sampling_rate: 500, buffer_size: 64 },
      },
    },
    status: 202,
    check: (answer, form) => {
      if (form === "envelope") {
        expect(answer.json.data.configuration_applied.detection_settings).toEqual({
          confidence_threshold: 0.7,
          max_persons: 5,
          enable_tracking: false,
          tracking_max_age: 60,
          tracking_min_hits: 4,
        })
      }
    },
  },
  {
    title: "start with limits of tracking",
    ...start,
    as: "operator",
    given: stopped,
    body: { configuration: { detection_settings: { tracking_max_age: 30, tracking_min_hits: 8 } } },
    status: 202,
    check: (answer, form) => {
      expect(gateway.world.session.options.detection).toEqual({
        ...defaultDetection,
        trackingMaxAgeFrames: 30,
        trackingMinHits: 8,
      })
      if (form === "envelope") {
        expect(answer.json.data.configuration_applied.detection_settings)
          .toMatchObject({ tracking_max_age: 30, tracking_min_hits: 8 })
      }
    },
  },
  { title: "calibration of each router", method: "GET", path: "/system/calibration", as: "viewer", status: 200 },
  { title: "calibrate", method: "POST", path: "/system/calibration", as: "operator", status: 202 },
  { title: "stop without a body", ...stop, as: "operator", status: 202 },
  { title: "stop with a body", ...stop, as: "operator", body: { force: true, save_state: false }, status: 202 },
  {
    title: "restart",
    method: "POST",
    path: "/system/restart",
    as: "operator",
    status: 202,
    check: (answer, form) =>
      expect(data(answer, form)).toMatchObject({
        status: "restarting",
        previous_session_id: "session-1",
        new_session_id: "session-2",
      }),
  },
  {
    title: "make an API key",
    ...keys,
    as: "admin",
    body: { name: "ci", role: "viewer", expires_at: "2099-01-01T00:00:00Z" },
    status: 201,
    check: (answer, form) =>
      expect(data(answer, form)).toMatchObject({ key: "secret-of-ci", expires_at: "2099-01-01T00:00:00.000Z" }),
  },
  {
    title: "list API keys",
    method: "GET",
    path: "/auth/api-keys",
    as: "admin",
    given: (world) => {
      const times = { createdAtMs: 0, expiresAtMs: null, lastUsedAtMs: 5 }
      world.apiKeys.set("a", { keyId: "a", name: "a", role: "viewer", ...times })
    },
    status: 200,
    check: (answer, form) => expect(data(answer, form).api_keys).toHaveLength(1),
  },
  {
    title: "revoke an API key",
    method: "DELETE",
    path: "/auth/api-keys/a",
    template: "/auth/api-keys/{key_id}",
    as: "admin",
    given: (world) => {
      const times = { createdAtMs: 0, expiresAtMs: null, lastUsedAtMs: null }
      world.apiKeys.set("a", { keyId: "a", name: "a", role: "viewer", ...times })
    },
    status: 204,
  },
  {
    title: "make a home token",
    method: "POST",
    path: "/home/tokens",
    as: "admin",
    body: { name: "tablet" },
    status: 201,
    check: (answer, form) =>
      expect(data(answer, form)).toMatchObject({
        token: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        token_id: expect.stringMatching(/^[0-9a-f]{32}$/),
        name: "tablet",
        created_by: "anna",
      }),
  },
  {
    title: "list home tokens",
    method: "GET",
    path: "/home/tokens",
    as: "admin",
    given: (world) => void world.homeTokens.set("a", homeToken("a")),
    status: 200,
    check: (answer, form) =>
      expect(data(answer, form).tokens).toEqual([
        { token_id: "a", name: "tablet", created_at: "1970-01-01T00:00:00.005Z", created_by: "anna" },
      ]),
  },
  {
    title: "revoke a home token",
    method: "DELETE",
    path: "/home/tokens/a",
    template: "/home/tokens/{token_id}",
    as: "admin",
    given: (world) => void world.homeTokens.set("a", homeToken("a")),
    status: 204,
  },
  // More of these is in configuration.test.ts and webhooks.test.ts.
  { title: "the configuration", method: "GET", path: "/config", as: "viewer", status: 200 },
  {
    title: "change the configuration",
    method: "PUT",
    path: "/config",
    as: "operator",
    body: { "detection.max_persons": 5 },
    status: 200,
  },
  { title: "the schema of the configuration", method: "GET", path: "/config/schema", as: "viewer", status: 200 },
  { title: "changes of the configuration", method: "GET", path: "/config/changes", as: "admin", status: 200 },
  {
    title: "make a webhook",
    method: "POST",
    path: "/webhooks",
    as: "operator",
    body: { url: "https://hooks.example.org/" },
    status: 201,
  },
  { title: "webhooks", method: "GET", path: "/webhooks", as: "operator", status: 200 },
  { title: "a webhook", ...webhook, as: "operator", given: aWebhook, status: 200 },
  { title: "delete a webhook", ...webhook, method: "DELETE", as: "operator", given: aWebhook, status: 204 },
  {
    title: "OpenAPI, which says what is an extension",
    method: "GET",
    path: "/openapi.json",
    as: "viewer",
    status: 200,
    check: ({ json }) => {
      const { parameters } = json.paths["/api/v1/pose/latest"].get
      for (const name of ["include_3d", "include_dense_pose"]) {
        expect(parameters).toContainEqual(expect.objectContaining({
          name,
          in: "query",
          required: false,
          description: expect.stringMatching(/^Extension: /),
          schema: { type: "boolean", default: false },
        }))
      }
    },
  },
]

const validation = "VALIDATION_ERROR"
const failures: ReadonlyArray<Case> = [
  ...reports.map((report): Case => ({
    ...report,
    as: "viewer",
    given: storeDown,
    status: 503,
    code: "SERVICE_UNAVAILABLE",
  })),
  { title: "no credentials", ...latest, status: 401, code: "AUTHENTICATION_ERROR" },
  { title: "a token that is none", ...latest, token: "abc.def.ghi", status: 401, code: "AUTHENTICATION_ERROR" },
  {
    title: "another scheme",
    ...latest,
    headers: { Authorization: "Basic dmVyYTp4" },
    status: 401,
    code: "AUTHENTICATION_ERROR",
  },
  { title: "an unknown API key", ...latest, headers: { "X-API-Key": "x" }, status: 401, code: "AUTHENTICATION_ERROR" },
  {
    title: "a wrong password",
    ...signIn,
    body: { ...credentials, password: "wrong" },
    status: 401,
    code: "AUTHENTICATION_ERROR",
  },
  { title: "a viewer who starts", ...start, as: "viewer", status: 403, code: "AUTHORIZATION_ERROR" },
  {
    title: "a viewer who asks for diagnostics",
    ...diagnostics,
    as: "viewer",
    status: 403,
    code: "AUTHORIZATION_ERROR",
  },
  { title: "an operator who makes keys", ...keys, as: "operator", status: 403, code: "AUTHORIZATION_ERROR" },
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
    title: "a system that does not run",
    ...latest,
    as: "viewer",
    given: (world) => {
      world.latest = () => new SystemNotRunning({ status: "stopped", message: "Start the system first." })
    },
    status: 503,
    code: "SERVICE_UNAVAILABLE",
  },
  {
    title: "a track that nobody follows",
    ...tracking,
    as: "viewer",
    status: 404,
    code: { bare: "POSE_DATA_NOT_FOUND", envelope: "RESOURCE_NOT_FOUND" },
    check: (answer) => expect(answer.json.error.details).toEqual({ resource: "track", track_id: 41 }),
  },
  {
    title: "a track that the session's environment does not follow",
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
    title: "a track that a broken environment may follow",
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
  ...["0", "-1", "1.5", "abc", "2147483648", "99999999999999999999"].map((id): Case => ({
    title: `the track ${id}, which is no id`,
    ...tracking,
    path: `/pose/tracking/${id}`,
    as: "viewer",
    given: followed,
    status: 422,
    code: validation,
    check: (answer, form) => {
      const { details } = answer.json.error
      expect(form === "bare" ? details.field_errors[0].field : details.field).toBe("track_id")
    },
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
  {
    title: "a track that is to be missed never",
    ...start,
    as: "operator",
    given: stopped,
    body: { configuration: { detection_settings: { tracking_max_age: 0 } } },
    status: 422,
    code: validation,
  },
  {
    title: "which of two environments",
    ...latest,
    as: "viewer",
    given: twoSites,
    status: 422,
    code: validation,
    check: (answer, form) => {
      const { details } = answer.json.error
      expect(form === "bare" ? details.field_errors[0].field : details.field).toBe("environment_id")
    },
  },
  {
    title: "several wrong fields",
    ...latest,
    path: "/pose/latest?min_confidence=2&include_3d=perhaps&colour=red",
    as: "viewer",
    status: 422,
    code: validation,
    check: (answer, form) => {
      const { details } = answer.json.error
      if (form === "bare") {
        expect(details.field_errors).toHaveLength(3)
        expect(details.field_errors).toContainEqual({
          field: "colour",
          message: "is not a field of this request",
          received_value: "red",
        })
      } else {
        expect(details.errors).toHaveLength(3)
        expect(details).toMatchObject(details.errors[0])
      }
    },
  },
  {
    title: "an empty number",
    ...latest,
    path: "/pose/latest?min_confidence=",
    as: "viewer",
    status: 422,
    code: validation,
  },
  {
    title: "a parameter given twice",
    ...latest,
    path: "/pose/latest?min_confidence=0.1&min_confidence=0.2",
    as: "viewer",
    status: 422,
    code: validation,
  },
  { title: "broken JSON", ...signIn, body: "{", status: 400, code: validation },
  {
    title: "a body that is not JSON",
    ...signIn,
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: "username=vera",
    status: 400,
    code: validation,
  },
  { title: "a missing body", ...signIn, status: 422, code: validation },
  {
    title: "a password that is no text, never repeated",
    ...signIn,
    body: { username: "vera", password: 123456789, extra: "hunter2" },
    status: 422,
    code: validation,
    check: (answer) => expect(JSON.stringify(answer.json)).not.toMatch(/123456789|hunter2/),
  },
  {
    title: "an unknown nested field",
    ...start,
    as: "operator",
    given: stopped,
    body: { configuration: { detection_settings: { max_person: 3 } } },
    status: 422,
    code: validation,
    check: (answer, form) => {
      const { details } = answer.json.error
      expect(form === "bare" ? details.field_errors[0].field : details.field)
        .toBe("configuration.detection_settings.max_person")
    },
  },
  { title: "start of what runs", ...start, as: "operator", status: 409, code: "CONFLICT" },
  { title: "stop of what does not run", ...stop, as: "operator", given: stopped, status: 409, code: "CONFLICT" },
  {
    title: "start of an unknown environment",
    ...start,
    as: "operator",
    given: stopped,
    body: { configuration: { environment_id: "attic" } },
    status: 404,
    code: "RESOURCE_NOT_FOUND",
  },
  {
    title: "an API key that expires in the past",
    ...keys,
    as: "admin",
    body: { name: "ci", role: "viewer", expires_at: "2001-01-01T00:00:00Z" },
    status: 422,
    code: validation,
  },
  {
    title: "revoking what there is not",
    method: "DELETE",
    path: "/auth/api-keys/nope",
    template: "/auth/api-keys/{key_id}",
    as: "admin",
    status: 404,
    code: "RESOURCE_NOT_FOUND",
  },
  {
    title: "a user of a name that is taken",
    method: "POST",
    path: "/auth/users",
    as: "admin",
    body: { ...newUser, username: users.viewer },
    status: 409,
    code: "CONFLICT",
  },
  {
    title: "removing the last administrator",
    method: "DELETE",
    ...lastAdmin,
    as: "admin",
    status: 409,
    code: "CONFLICT",
  },
  {
    title: "making the last administrator less",
    method: "PUT",
    ...lastAdmin,
    as: "admin",
    body: { role: "viewer" },
    status: 409,
    code: "CONFLICT",
  },
  { title: "removing nobody", method: "DELETE", ...otherUser, as: "admin", status: 404, code: "RESOURCE_NOT_FOUND" },
  {
    title: "changing nobody",
    method: "PUT",
    ...otherUser,
    as: "admin",
    body: { role: "viewer" },
    status: 404,
    code: "RESOURCE_NOT_FOUND",
  },
  {
    title: "changing nothing of a user",
    method: "PUT",
    ...oneUser,
    as: "admin",
    body: {},
    status: 422,
    code: validation,
  },
  {
    title: "users seen by an operator",
    method: "GET",
    path: "/auth/users",
    as: "operator",
    status: 403,
    code: "AUTHORIZATION_ERROR",
  },
  {
    title: "a short password, never repeated",
    method: "POST",
    path: "/auth/users",
    as: "admin",
    body: { ...newUser, password: "hunter2hunt" },
    status: 422,
    code: validation,
    check: (answer) => expect(JSON.stringify(answer.json)).not.toContain("hunter2"),
  },
  {
    title: "another than the present password",
    ...ownPassword,
    as: "viewer",
    body: { current_password: "wrong", new_password: "another long password" },
    status: 422,
    code: validation,
    check: (answer, form) => {
      const { details } = answer.json.error
      expect(form === "bare" ? details.field_errors[0].field : details.field).toBe("current_password")
    },
  },
  {
    title: "the password of an API key",
    ...ownPassword,
    headers: { "X-API-Key": apiKey },
    body: { current_password: password, new_password: "another long password" },
    status: 409,
    code: "CONFLICT",
  },
  {
    title: "a refresh token that is none",
    method: "POST",
    path: "/auth/refresh",
    body: { refresh_token: "guessed" },
    status: 401,
    code: "AUTHENTICATION_ERROR",
  },
  {
    title: "a name with the character 0",
    ...signIn,
    body: { username: "v\0", password },
    status: 422,
    code: validation,
  },
  {
    title: "a store that is down",
    ...signIn,
    body: credentials,
    given: storeDown,
    status: 503,
    code: "SERVICE_UNAVAILABLE",
  },
  { title: "too large a body", ...signIn, body: "x".repeat(1024 * 1024 + 1), status: 413, code: "PAYLOAD_TOO_LARGE" },
  {
    title: "a defect",
    ...latest,
    as: "viewer",
    given: (world) => {
      world.latest = () => "broken"
    },
    headers: { "X-Request-Id": "find-me" },
    status: 500,
    code: "SYSTEM_ERROR",
    check: (answer) => {
      expect(JSON.stringify(answer.json)).not.toContain("secret detail")
      const logged = gateway.world.logged.filter((line) => line.includes("find-me"))
      expect(logged.some((line) => line.includes("secret detail"))).toBe(true)
    },
  },
]

const send = async (test: Case, form: Form): Promise<Answer> => {
  test.given?.(gateway.world)
  const token = test.as === undefined ? test.token : await gateway.token(test.as)
  return call(gateway.url, { ...test, form, ...(token === undefined ? {} : { token }) })
}

const documented = (test: Case, answer: Answer) =>
  contract.disagreements(test, test.template ?? test.path.split("?")[0]!, answer)

describe.each(forms)("every answer is as documented, %s", (form) => {
  it.each(successes)("$title", async (test) => {
    const answer = await send(test, form)
    expect(answer.json?.error).toBeUndefined()
    expect(answer.status).toBe(test.status)
    expect(answer.headers.get("x-response-form")).toBe(form)
    expect(documented(test, answer)).toEqual([])
    if (form === "envelope" && answer.json !== null && test.path !== "/openapi.json") {
      expect(answer.json.success).toBe(true)
      expect(answer.json.request_id).toBe(answer.headers.get("x-request-id"))
    }
    test.check?.(answer, form)
  })

  it.each(failures)("$status for $title", async (test) => {
    const answer = await send(test, form)
    expect(answer.status).toBe(test.status)
    expect(answer.json.error.code).toBe(typeof test.code === "string" ? test.code : test.code![form])
    expect(documented(test, answer)).toEqual([])
    const requestId = form === "bare" ? answer.json.error.request_id : answer.json.request_id
    expect(requestId).toBe(answer.headers.get("x-request-id"))
    test.check?.(answer, form)
  })
})

/** Operations that have tests of their own: `history.test.ts`, `process.test.ts` and `sensing-nodes.test.ts`. */
const testedElsewhere = [
  "GET /pose/history",
  "POST /pose/query",
  "POST /pose/process",
  "GET /sensing-nodes",
  ...["enrolment", "revocation", "quarantine", "release"].map((decision) =>
    `POST /sensing-nodes/{node_id}/${decision}`
  ),
]

describe("what the document says", () => {
  it("has a case here for every operation and every success", () => {
    const tested = new Set([
      ...successes.map((test) => `${test.method} ${test.template ?? test.path.split("?")[0]}`),
      ...testedElsewhere,
    ])
    const served = Object.entries(contract.document.paths).filter(([path]) => path.startsWith("/api/v1/"))
      .flatMap(([path, operations]) =>
        Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.slice("/api/v1".length)}`)
      )
    expect(new Set(served)).toEqual(tested)
  })

  it("asks for credentials everywhere but for health, signing in and out, and its own page", async () => {
    const open: Array<string> = []
    for (const [path, operations] of Object.entries(contract.document.paths)) {
      for (const method of Object.keys(operations)) {
        const url = gateway.url + path.replace("{key_id}", "x")
        // Signing in and refreshing say 401 for wrong credentials, and these have none: 422.
        const answer = await fetch(url, { method: method.toUpperCase() })
        await answer.body?.cancel()
        if (answer.status !== 401) open.push(`${method} ${path}`)
        else expect(answer.headers.get("www-authenticate")).toContain("Bearer")
      }
    }
    expect(open.sort()).toEqual([
      "get /api/v1/health",
      "get /docs",
      "get /docs/style.css",
      "post /api/v1/auth/logout",
      "post /api/v1/auth/refresh",
      "post /api/v1/auth/token",
    ])
  })
})

describe("the form of an answer", () => {
  const formOf = async (path: string, headers: Record<string, string>) => {
    const answer = await call(gateway.url, { method: "GET", path, headers })
    return { status: answer.status, form: answer.headers.get("x-response-form"), wrapped: "success" in answer.json }
  }

  it("is the default when none is asked for", async () => {
    expect(await formOf("/health", {})).toEqual({ status: 200, form: "bare", wrapped: false })
  })

  it("is the header's, and the query wins over it", async () => {
    const headers = { "X-Response-Form": "envelope" }
    expect(await formOf("/health", headers)).toEqual({ status: 200, form: "envelope", wrapped: true })
    expect(await formOf("/health?form=bare", headers)).toEqual({ status: 200, form: "bare", wrapped: false })
  })

  it("is refused when there is no such form", async () => {
    expect(await formOf("/health?form=xml", {})).toEqual({ status: 422, form: "bare", wrapped: false })
    expect(await formOf("/health", { "X-Response-Form": "xml" })).toEqual({ status: 422, form: "bare", wrapped: false })
  })
})

describe("paths and methods", () => {
  it("answers 404 in the asked form", async () => {
    for (const path of ["/nope", "/pose/latest/", "/auth/api-keys/", "/auth/api-keys/%ff", "/__proto__"]) {
      const answer = await call(gateway.url, { method: "GET", path, form: "envelope" })
      expect([answer.status, answer.json.success, answer.json.error.code]).toEqual([404, false, "RESOURCE_NOT_FOUND"])
    }
  })

  it("answers 405 with what is allowed", async () => {
    const answer = await call(gateway.url, { method: "DELETE", path: "/auth/api-keys" })
    expect([answer.status, answer.json.error.code]).toEqual([405, "METHOD_NOT_ALLOWED"])
    expect(answer.headers.get("allow")).toBe("POST, GET, HEAD")
  })

  it("answers HEAD as GET without a body", async () => {
    const answer = await call(gateway.url, { method: "HEAD", path: "/health" })
    expect([answer.status, answer.json]).toEqual([200, null])
  })
})

describe("the request id", () => {
  const idOf = async (given: string) => {
    const answer = await call(gateway.url, { method: "GET", path: "/nope", headers: { "X-Request-Id": given } })
    expect(answer.json.error.request_id).toBe(answer.headers.get("x-request-id"))
    return answer.headers.get("x-request-id")
  }

  it("is the client's where it is of the right shape, else a UUIDv7", async () => {
    expect(await idOf("order-66_a.b")).toBe("order-66_a.b")
    for (const bad of ["a b", "x".repeat(129), "ä"]) {
      expect(await idOf(bad)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
  })
})

describe("tokens", () => {
  it("that sign-in answers are taken", async () => {
    const { json } = await call(gateway.url, { ...signIn, body: credentials })
    expect(json).toMatchObject({ token_type: "bearer", expires_in: 86400 })
    const answer = await call(gateway.url, { ...latest, token: json.access_token })
    expect(answer.status).toBe(200)
  })
})

describe("status", () => {
  it("reports the service's version and this machine", async () => {
    const { json } = await call(gateway.url, { ...status, token: await gateway.token("viewer") })
    expect(json.version).toBe(version)
    expect(json.hardware.memory_usage).toBeGreaterThan(0)
    expect(json.hardware.disk_usage).toBeGreaterThan(0)
    expect(json.hardware.gpu_memory_usage).toBeNull()
  })

  it("reports health as degraded when the store is down", async () => {
    gateway.world.storeFails = true
    const { json } = await call(gateway.url, { method: "GET", path: "/health" })
    expect(json.status).toBe("degraded")
  })
})

describe("stopping", () => {
  it("lets a request under way end, and takes no new connection", async () => {
    const gate = Promise.withResolvers<void>()
    gateway.world.gate = gate.promise
    const asked = Promise.withResolvers<void>()
    const { latest: answer } = gateway.world
    gateway.world.latest = (environmentId) => {
      asked.resolve()
      return answer(environmentId)
    }
    const underWay = call(gateway.url, { ...latest, token: await gateway.token("viewer") })
    await asked.promise
    const stopping = gateway.stop()
    gate.resolve()
    expect((await underWay).status).toBe(200)
    await stopping
    await expect(fetch(gateway.url)).rejects.toThrow()
  })

  it("waits no longer than two seconds for a request that does not end", async () => {
    const asked = Promise.withResolvers<void>()
    gateway.world.describe = () => {
      asked.resolve()
      return "silent"
    }
    const cut = expect(call(gateway.url, { ...status, token: await gateway.token("viewer") })).rejects.toThrow()
    await asked.promise
    const startedMs = performance.now()
    await gateway.stop()
    expect(performance.now() - startedMs).toBeLessThan(2000)
    await cut
  })
})
