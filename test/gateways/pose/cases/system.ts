/**
 * Starting, stopping and calibrating the system, and what it says of its state.
 */
import { expect } from "vitest"
import { defaultDetection } from "../../../../protocols/domain/configuration.ts"
import { makeStatus, type World } from "../world.ts"
import { data, status, type Subject, validation, wrongField } from "./case.ts"

const stopped = (world: World) => {
  world.session = { ...world.session, status: "stopped", sessionId: null, startedAtMs: null }
}
const withModel = (environmentId: string) => ({ ...makeStatus(environmentId), modelVersion: "wavepose-test" })
const diagnostics = { method: "GET", path: "/system/diagnostics" }
const inventory = { method: "GET", path: "/system/inventory" }
const findings = { method: "GET", path: "/system/findings" }
const start = { method: "POST", path: "/system/start" }
const stop = { method: "POST", path: "/system/stop" }

export const system: Subject = {
  subject: "system",
  successes: [
    { title: "system status", ...status, as: "viewer", status: 200 },
    { title: "diagnostics", ...diagnostics, as: "operator", status: 200 },
    { title: "diagnostics while stopped", ...diagnostics, as: "operator", given: stopped, status: 200 },
    {
      title: "the inventory of a node that is alone",
      ...inventory,
      as: "operator",
      given: (world) => {
        world.describe = withModel
        world.plugins = [{ domain: "lamp", status: "setup_error", reason: "no bridge answers" }]
        world.cards = new Map([["wavepose-test", "# wavepose-test\n\nGood."]])
      },
      status: 200,
      check: (answer, form) =>
        expect(data(answer, form)).toEqual({
          nodes: [],
          plugins: [{ domain: "lamp", status: "setup_error", reason: "no bridge answers" }],
          plugins_reason: null,
          models: [{
            model_version: "wavepose-test",
            environments: ["living-room"],
            card: "# wavepose-test\n\nGood.",
          }],
        }),
    },
    {
      title: "the inventory of a cluster whose home does not answer",
      ...inventory,
      as: "operator",
      given: (world) => {
        world.describe = withModel
        world.plugins = null
        world.cluster = {
          members: [{ address: "10.0.0.1:50052", healthy: true, groups: ["sensing"], self: true }],
          shards: 1,
          acquired: 1,
          released: 0,
          lost: 0,
          refreshFailures: 0,
          refreshMs: null,
        }
      },
      status: 200,
      check: (answer, form) =>
        expect(data(answer, form)).toMatchObject({
          nodes: [{
            address: "10.0.0.1:50052",
            healthy: true,
            actors: ["sensing"],
            answering: true,
            environments: ["living-room"],
          }],
          plugins: [],
          plugins_reason: "The home does not answer.",
          models: [{ card: null }],
        }),
    },
    {
      title: "findings, each with what it concerns",
      ...findings,
      as: "operator",
      status: 200,
      check: (answer, form) => {
        const list = data(answer, form).findings as ReadonlyArray<Record<string, unknown>>
        expect(list.find(({ check }) => check === "system")).toMatchObject({
          verdict: "ok",
          advice: null,
          environment_id: null,
        })
        expect(list.find(({ check }) => check === "frames of living-room")).toMatchObject({
          environment_id: "living-room",
          router_id: null,
        })
      },
    },
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
    { title: "start without a body", ...start, as: "operator", given: stopped, status: 202 },
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
      check: (answer, form, world) => {
        expect(world.session.options.detection).toEqual({
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
  ],
  failures: [
    { title: "a viewer who starts", ...start, as: "viewer", status: 403, code: "AUTHORIZATION_ERROR" },
    {
      title: "a viewer who asks for diagnostics",
      ...diagnostics,
      as: "viewer",
      status: 403,
      code: "AUTHORIZATION_ERROR",
    },
    {
      title: "an invalid tracking limit",
      ...start,
      as: "operator",
      given: stopped,
      body: { configuration: { detection_settings: { tracking_max_age: 0 } } },
      status: 422,
      code: validation,
    },
    {
      title: "an unknown nested field",
      ...start,
      as: "operator",
      given: stopped,
      body: { configuration: { detection_settings: { max_person: 3 } } },
      status: 422,
      code: validation,
      check: (answer, form) => expect(wrongField(answer, form)).toBe("configuration.detection_settings.max_person"),
    },
    { title: "start of a running system", ...start, as: "operator", status: 409, code: "CONFLICT" },
    { title: "stop of a stopped system", ...stop, as: "operator", given: stopped, status: 409, code: "CONFLICT" },
    {
      title: "start of an unknown environment",
      ...start,
      as: "operator",
      given: stopped,
      body: { configuration: { environment_id: "attic" } },
      status: 404,
      code: "RESOURCE_NOT_FOUND",
    },
  ],
}
