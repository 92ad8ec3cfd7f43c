/** The route table of all HTTP edges: what is found, with which parameters, and what is allowed where nothing is. */
import { describe, expect, it } from "vitest"
import { makeRouteTable, type TableRoute } from "../../../gateways/http/route-table.ts"

const route = (method: string, path: string): TableRoute<string> => ({ method, path, value: `${method} ${path}` })

const routes = [
  route("GET", "/things"),
  route("POST", "/things"),
  route("GET", "/things/{id}"),
  route("DELETE", "/things/{thing_id}"),
  route("GET", "/things/best"),
  route("GET", "/things/{id}/parts/{part}"),
]
const find = makeRouteTable(routes, { headAsGet: true })
const bare = makeRouteTable(routes, { headAsGet: false })
const found = (value: string, params: Record<string, string> = {}) => ({ _tag: "Found", value, params })

describe("a route table", () => {
  it("finds exact paths before those with parameters", () => {
    expect(find("GET", "/things")).toEqual(found("GET /things"))
    expect(find("GET", "/things/best")).toEqual(found("GET /things/best"))
    expect(find("GET", "/things/worst")).toEqual(found("GET /things/{id}", { id: "worst" }))
    expect(find("GET", "/things/1/parts/2")).toEqual(found("GET /things/{id}/parts/{part}", { id: "1", part: "2" }))
  })

  it("names parameters as the route of the method does", () => {
    expect(find("DELETE", "/things/7")).toEqual(found("DELETE /things/{thing_id}", { thing_id: "7" }))
  })

  it("decodes segments one by one, so that an escaped slash does not divide a path", () => {
    expect(find("GET", "/things/a%20b")).toEqual(found("GET /things/{id}", { id: "a b" }))
    expect(find("GET", "/things/a%2Fb")).toEqual(found("GET /things/{id}", { id: "a/b" }))
    expect(find("GET", "/th%69ngs")).toEqual(found("GET /things"))
    expect(bare("GET", "%2Fthings")).toEqual({ _tag: "UnknownPath" })
    expect(bare("GET", "/things%2Fbest")).toEqual({ _tag: "UnknownPath" })
  })

  it("knows no path with broken escapes, unless they are decoded in another way", () => {
    expect(find("GET", "/things/%ff")).toEqual({ _tag: "UnknownPath" })
    const lenient = makeRouteTable(routes, { headAsGet: true, decode: (segment) => segment })
    expect(lenient("GET", "/things/%ff")).toEqual(found("GET /things/{id}", { id: "%ff" }))
  })

  it("knows no empty parameter, and no path that is longer or shorter", () => {
    for (
      const path of ["/things/", "/things/1/parts/", "/things/1/parts", "/things/1/parts/2/3", "/", "", "/__proto__"]
    ) {
      expect(bare("GET", path), path).toEqual({ _tag: "UnknownPath" })
    }
  })

  it("lists the methods of a path in the order of their declaration", () => {
    expect(find("PUT", "/things")).toEqual({ _tag: "UnknownMethod", allowed: ["GET", "HEAD", "POST"] })
    expect(bare("HEAD", "/things/7")).toEqual({ _tag: "UnknownMethod", allowed: ["GET", "DELETE"] })
  })

  it("answers HEAD by GET if it is configured to", () => {
    expect(find("HEAD", "/things")).toEqual(found("GET /things"))
  })

  it("is not made from two routes of one method and path", () => {
    expect(() => makeRouteTable([route("GET", "/a/{b}"), route("GET", "/a/{c}")], { headAsGet: true })).toThrow(
      "GET /a/{c} is declared twice",
    )
  })
})
