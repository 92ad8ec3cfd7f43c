/**
 * Reading, creating, changing and removing environments.
 */
import { expect } from "vitest"
import { data, type Subject, validation, wrongField } from "./case.ts"

const removal = {
  method: "DELETE",
  path: "/environments/living-room",
  template: "/environments/{environment_id}",
}
const creation = { method: "POST", path: "/environments", as: "operator" as const }
const change = { ...removal, method: "PUT", as: "operator" as const }
const coverage = {
  method: "POST",
  path: "/environments/living-room/coverage",
  template: "/environments/{environment_id}/coverage",
  as: "operator" as const,
}
const point = (x: number, y: number, z: number) => ({ x, y, z })
const node = (node_id: string, position: ReturnType<typeof point>) => ({
  node_id,
  position,
  array_axis: point(0, 2, 0),
})
const geometry = { size: point(5, 4, 2.5), nodes: [node("ap", point(0, 0, 1)), node("kitchen-1", point(5.2, 2, 1))] }
const corners = [{ x: 0, y: 0 }, { x: 2, y: 0 }, { x: 2, y: 2 }]
const kitchen = {
  environment_id: "kitchen",
  name: "Kitchen",
  geometry,
  zones: [{ zone_id: "table", name: "Table", polygon: corners }],
  routers: ["kitchen-1"],
}
const presenceOnly = { environment_id: "attic", name: "Attic" }

/** A creation that is rejected, and the field that is named. */
const rejected = (title: string, field: string, body: object) => ({
  title,
  ...creation,
  body,
  status: 422,
  code: validation,
  check: (answer: Parameters<typeof wrongField>[0], form: Parameters<typeof wrongField>[1]) =>
    expect(wrongField(answer, form)).toBe(field),
})
const withNodes = (...nodes: ReadonlyArray<object>) => ({ ...kitchen, geometry: { ...geometry, nodes } })
const withSize = (size: object) => ({ ...kitchen, geometry: { ...geometry, size } })

export const environments: Subject = {
  subject: "environments",
  successes: [
    {
      title: "the environments",
      method: "GET",
      path: "/environments",
      as: "viewer",
      status: 200,
      check: (answer, form) =>
        expect(data(answer, form).environments).toMatchObject([{
          environment_id: "living-room",
          active: true,
          origin: { source: "live", name: null },
          routers: ["node-1"],
        }]),
    },
    {
      title: "one environment",
      ...removal,
      method: "GET",
      as: "viewer",
      status: 200,
      check: (answer, form) =>
        expect(data(answer, form)).toMatchObject({ environment_id: "living-room", routers: ["node-1"], zones: [] }),
    },
    {
      title: "removal of an environment, its history kept",
      ...removal,
      as: "operator",
      status: 200,
      check: (answer, form, world) => {
        expect(data(answer, form)).toEqual({ environment_id: "living-room", history: "kept", deleted: null })
        expect(world.environments).toEqual([])
      },
    },
    {
      title: "removal of an environment with its history",
      ...removal,
      path: "/environments/living-room?history=drop",
      as: "operator",
      status: 200,
      check: (answer, form) =>
        expect(data(answer, form)).toMatchObject({ history: "dropped", deleted: { frames: 3, events: 2, tracks: 1 } }),
    },
    {
      title: "removal of the rest of a history, whose environment was removed before",
      ...removal,
      path: "/environments/garage?history=drop",
      as: "operator",
      status: 200,
      check: (answer, form) =>
        expect(data(answer, form)).toEqual({
          environment_id: "garage",
          history: "dropped",
          deleted: { frames: 3, events: 2, tracks: 1 },
        }),
    },
    {
      title: "creation of an environment with geometry, zones and routers",
      ...creation,
      body: kitchen,
      status: 201,
      check: (answer, form, world) => {
        expect(answer.headers.get("etag")).toMatch(/^"[0-9a-f]{32}"$/)
        expect(data(answer, form)).toMatchObject({
          environment_id: "kitchen",
          active: true,
          origin: { source: "live", name: null },
          routers: ["kitchen-1"],
          geometry: { nodes: [{ array_axis: point(0, 1, 0) }, { position: point(5.2, 2, 1) }] },
          zones: [{ zone_id: "table", kind: "general", role: null, polygon: corners }],
        })
        expect(world.environments.map(({ environmentId }) => environmentId)).toEqual(["living-room", "kitchen"])
        expect(world.notified).toEqual(["router kitchen-1", "environment kitchen"])
      },
    },
    {
      title: "creation of an environment for presence alone",
      ...creation,
      body: presenceOnly,
      status: 201,
      check: (answer, form) => expect(data(answer, form)).toMatchObject({ geometry: null, zones: [], routers: [] }),
    },
    {
      title: "a change of some fields",
      ...change,
      body: { name: "Lounge", routers: ["node-1", "node-9"], geometry },
      headers: { "if-match": "*" },
      status: 200,
      check: (answer, form, world) => {
        expect(data(answer, form)).toMatchObject({ name: "Lounge", routers: ["node-1", "node-9"], zones: [] })
        expect(world.notified).toEqual(["router node-9", "environment living-room"])
      },
    },
    {
      title: "a change that changes nothing",
      ...change,
      body: { name: "Living room" },
      status: 200,
      check: (_answer, _form, world) => expect(world.notified).toEqual([]),
    },
    {
      title: "the progress of a simulation",
      ...coverage,
      method: "GET",
      status: 200,
      check: (answer, form) =>
        expect(data(answer, form)).toMatchObject({ state: "running", progress: 0.4, failure: null, result: null }),
    },
    {
      title: "a simulation of a drawn plan, with one more node",
      ...coverage,
      body: { geometry, antennas: 2, candidates: [point(0, 4, 1)] },
      status: 202,
      check: (answer, form) =>
        expect(data(answer, form)).toMatchObject({
          state: "done",
          antennas: 2,
          result: { source: "simulated", error_m: 0.31, candidates: [{ position: point(0, 4, 1), error_m: 0.2 }] },
        }),
    },
  ],
  failures: [
    {
      title: "a simulation while another room is simulated",
      ...coverage,
      body: { geometry, antennas: 4 },
      status: 409,
      code: "CONFLICT",
    },
    {
      title: "a simulation of one node",
      ...coverage,
      body: { geometry: { ...geometry, nodes: [node("ap", point(0, 0, 1))] } },
      status: 422,
      code: validation,
      check: (answer, form) => expect(wrongField(answer, form)).toBe("geometry.nodes"),
    },
    {
      title: "a simulation of a plan with a node outside",
      ...coverage,
      body: { geometry: { ...geometry, nodes: [node("ap", point(0, 9, 1))] } },
      status: 422,
      code: validation,
    },
    {
      title: "a simulation of an unknown environment",
      ...coverage,
      path: "/environments/attic/coverage",
      body: { geometry },
      status: 404,
      code: "RESOURCE_NOT_FOUND",
    },
    {
      title: "a coverage that nobody simulated",
      ...coverage,
      method: "GET",
      path: "/environments/attic/coverage",
      status: 404,
      code: "RESOURCE_NOT_FOUND",
    },
    {
      title: "a viewer who removes an environment",
      ...removal,
      as: "viewer",
      status: 403,
      code: "AUTHORIZATION_ERROR",
    },
    {
      title: "an unknown environment",
      ...removal,
      method: "GET",
      path: "/environments/attic",
      as: "viewer",
      status: 404,
      code: "RESOURCE_NOT_FOUND",
      check: ({ json }) => expect(JSON.stringify(json)).toContain("living-room"),
    },
    {
      title: "removal of an unknown environment",
      ...removal,
      path: "/environments/attic",
      as: "operator",
      status: 404,
      code: "RESOURCE_NOT_FOUND",
    },
    {
      title: "removal of an unknown environment, with a history that it does not have",
      ...removal,
      path: "/environments/attic?history=drop",
      as: "operator",
      status: 404,
      code: "RESOURCE_NOT_FOUND",
    },
    {
      title: "removal that keeps the history of an environment that was removed before",
      ...removal,
      path: "/environments/garage?history=keep",
      as: "operator",
      status: 404,
      code: "RESOURCE_NOT_FOUND",
    },
    {
      title: "removal with a history that is neither kept nor dropped",
      ...removal,
      path: "/environments/living-room?history=sell",
      as: "operator",
      status: 422,
      code: validation,
      check: (answer, form) => expect(wrongField(answer, form)).toBe("history"),
    },
    {
      title: "a viewer who creates an environment",
      ...creation,
      as: "viewer",
      body: kitchen,
      status: 403,
      code: "AUTHORIZATION_ERROR",
    },
    {
      title: "a viewer who changes an environment",
      ...change,
      as: "viewer",
      body: {},
      status: 403,
      code: "AUTHORIZATION_ERROR",
    },
    {
      title: "creation of an environment that exists",
      ...creation,
      body: { ...kitchen, environment_id: "living-room" },
      status: 409,
      code: "CONFLICT",
    },
    {
      title: "creation with a router of another environment",
      ...creation,
      body: { ...kitchen, routers: ["node-1"] },
      status: 409,
      code: "CONFLICT",
      check: ({ json }) => expect(json.error.details).toMatchObject({ resource: "router", router_id: "node-1" }),
    },
    {
      title: "a change of an unknown environment",
      ...change,
      path: "/environments/attic",
      body: { name: "Attic" },
      status: 404,
      code: "RESOURCE_NOT_FOUND",
      check: ({ json }) => expect(JSON.stringify(json)).toContain("living-room"),
    },
    {
      title: "a change of an environment that was changed in between",
      ...change,
      headers: { "if-match": `"${"0".repeat(32)}"` },
      body: { name: "Lounge" },
      status: 412,
      code: "CONFLICT",
      check: (_answer, _form, world) => expect(world.environments[0]?.name).toBe("Living room"),
    },
    {
      title: "a change with the tag of something else",
      ...change,
      headers: { "if-match": `"r3"` },
      body: {},
      status: 422,
      code: validation,
      check: (answer, form) => expect(wrongField(answer, form)).toBe("If-Match"),
    },
    rejected("an id with a space", "environment_id", { ...kitchen, environment_id: "my kitchen" }),
    rejected("an empty name", "name", { ...kitchen, name: "" }),
    rejected("a room without height", "geometry.size.z", withSize(point(5, 4, 0))),
    rejected("a room of 101 m", "geometry.size.x", withSize(point(101, 4, 2))),
    rejected(
      "two nodes of one id",
      "geometry.nodes.1.node_id",
      withNodes(node("a", point(0, 0, 1)), node("a", point(1, 0, 1))),
    ),
    rejected("a node outside of the room", "geometry.nodes.0.position.y", withNodes(node("a", point(0, 4.6, 1)))),
    rejected(
      "a position that is no number",
      "geometry.nodes.0.position.x",
      withNodes({ ...node("a", point(0, 0, 1)), position: { x: "1", y: 0, z: 0 } }),
    ),
    rejected(
      "an array without a direction",
      "geometry.nodes.0.array_axis",
      withNodes({ ...node("a", point(0, 0, 1)), array_axis: point(0, 0, 0) }),
    ),
    rejected("two zones of one id", "zones.1.zone_id", { ...kitchen, zones: [...kitchen.zones, ...kitchen.zones] }),
    rejected("a zone without an area", "zones.0.polygon", {
      ...kitchen,
      zones: [{ ...kitchen.zones[0], polygon: [corners[0], corners[1], corners[0]] }],
    }),
    rejected("one router twice", "routers.1", { ...kitchen, routers: ["a", "a"] }),
    rejected("an unknown field", "colour", { ...kitchen, colour: "green" }),
  ],
}
