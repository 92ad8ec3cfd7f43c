/**
 * Events and service calls of the home API over REST.
 * Numbers in brackets are those of a list of observed behaviour of Home Assistant.
 */
import { Effect } from "effect"
import { request } from "node:http"
import { describe, expect, it } from "vitest"
import { HomeTokens } from "../../../protocols/ports/home-tokens.ts"
import { json, plain, said, text } from "./answers.ts"
import { token } from "./harness.ts"
import { servedHome } from "./served.ts"

const home = servedHome()

describe("events", () => {
  it("[60] a fired event is published with its data, origin and user", async () => {
    const heard = new Promise<string>((resolve) => {
      request(
        `${home.url}/api/stream?restrict=tried`,
        { headers: { authorization: `Bearer ${token}` } },
        (response) => {
          let held = ""
          response.on("data", (chunk) => {
            held += chunk
            if (held === "data: ping\n\n") void home.ask("POST", "/api/events/tried", { body: { a: [1] } })
            if (!held.includes("tried")) return
            response.destroy()
            resolve(held)
          })
          expect(response.headers["content-type"]).toBe("text/event-stream")
        },
      ).end()
    })
    const [ping, event] = (await heard).split("\n\n")
    // [75] The stream begins with a ping and [76] contains only the requested events.
    expect(ping).toBe("data: ping")
    expect(JSON.parse(event!.slice("data: ".length))).toEqual({
      event_type: "tried",
      data: { a: [1] },
      origin: "REMOTE",
      time_fired: expect.stringMatching(/\+00:00$/),
      context: { id: expect.any(String), parent_id: null, user_id: expect.stringMatching(/^[0-9a-f]{32}$/) },
    })
  })

  it("[61] are rejected if their data are not an object", async () => {
    const fire = (body?: string) => home.ask("POST", "/api/events/tried", body === undefined ? {} : { body })
    expect(json(await fire())).toEqual(said(200, "Event tried fired."))
    for (const body of ['"a"', "[1]", "7"]) {
      expect(json(await fire(body)), body).toEqual(said(400, "Event data should be a JSON object"))
    }
    expect(json(await fire("{"))).toEqual(said(400, "Event data should be valid JSON."))
    expect((await home.ask("POST", `/api/events/${"x".repeat(65)}`)).status).toBe(400)
    expect(await (await home.ask("GET", "/api/events")).json).toEqual([])
  })

  it("[75] [76] an unfiltered stream contains all events, and counts as a listener", async () => {
    const got: Array<string> = []
    await new Promise<void>((resolve) => {
      request(`${home.url}/api/stream`, { headers: { authorization: `Bearer ${token}` } }, (response) => {
        response.on("data", (chunk) => {
          got.push(String(chunk))
          if (got.length === 1) {
            void home.ask("GET", "/api/events").then(({ json: counts }) => {
              expect(counts).toEqual([{ event: "*", listener_count: 1 }])
              return home.ask("POST", "/api/states/sensor.streamed", { body: { state: 1 } })
            }).then(() => home.ask("POST", "/api/states/sensor.streamed", { body: { state: 1 } }))
              .then(() => home.ask("POST", "/api/events/last"))
          }
          if (!got.join("").includes('"last"')) return
          response.destroy()
          resolve()
        })
      }).end()
    })
    const types = got.join("").split("\n\n").filter((line) => line.startsWith("data: {"))
      .map((line) => JSON.parse(line.slice("data: ".length)).event_type)
    // An identical write is not an event for listeners of all events.
    expect(types).toEqual(["state_changed", "last"])
  })

  it("a stream ends when its token is revoked, and contains no later event", async () => {
    const tokens = <A, E>(use: (tokens: HomeTokens["Service"]) => Effect.Effect<A, E>) =>
      home.run(Effect.flatMap(HomeTokens, use))
    const { text: registered, token: { tokenId } } = await tokens(({ register }) => register("tablet", "anna"))
    const revoke = async () => {
      await tokens(({ revoke }) => revoke(tokenId))
      await home.ask("POST", "/api/events/after_revocation")
    }
    const got: Array<string> = []
    await new Promise<void>((resolve) => {
      request(`${home.url}/api/stream`, { headers: { authorization: `Bearer ${registered}` } }, (response) => {
        response.on("data", (chunk) => {
          got.push(String(chunk))
          if (got.length === 1) void revoke()
          // The stream did not end: the test fails below.
          if (got.join("").includes("after_revocation")) response.destroy()
        })
        response.on("close", resolve)
        expect(response.statusCode).toBe(200)
      }).end()
    })
    expect(got.join("")).toBe("data: ping\n\n")
    expect((await home.ask("GET", "/api/stream", { token: registered })).status).toBe(401)
  })
})

describe("service calls", () => {
  const call = (path: string, body?: unknown) =>
    home.ask("POST", `/api/services/${path}`, body === undefined ? {} : { body })

  it("[63] [65] an unknown service and invalid data are a bad request", async () => {
    for (const path of ["nobody/knows", "test/nobody"]) {
      expect(plain(await call(path)), path).toEqual(text(400, "400: Bad Request"))
    }
    for (const value of ["high", null, undefined]) {
      const asked = await call("input_number/set_value", { entity_id: "input_number.a", value })
      expect(plain(asked)).toEqual(text(400, "400: Bad Request"))
    }
    expect(plain(await call("test/count", [1]))).toEqual(text(400, "400: Bad Request"))
    expect(json(await call("nobody/knows", "{"))).toEqual(said(400, "Data should be valid JSON."))
  })

  it("[66] a call returns the states that it changed; names are case-insensitive", async () => {
    const before = home.counts.count
    for (const body of [undefined, "{}", "null"]) {
      expect(json(await call("Test/COUNT", body))).toMatchObject({ status: 200, body: [] })
    }
    expect(home.counts.count).toBe(before + 3)
    const { json: changed } = await call("test/touch")
    expect(changed).toHaveLength(1)
    expect(changed[0]).toMatchObject({ entity_id: "sensor.touched" })
    expect((await home.ask("GET", "/api/states/sensor.touched")).json).toEqual(changed[0])
  })

  it("[68] a request for the response of a service without one is rejected before the service runs", async () => {
    const before = home.counts.count
    expect(json(await call("test/count?return_response"))).toEqual(
      said(400, "Service does not support responses. Remove return_response from request."),
    )
    expect(home.counts.count).toBe(before)
    expect(json(await call("test/answer"))).toEqual(
      said(
        400,
        "Service call requires responses but caller did not ask for responses. Add ?return_response to query parameters.",
      ),
    )
  })

  it("[70] [71] a requested response is returned beside the changed states", async () => {
    expect((await call("test/answer?return_response")).json).toEqual({
      changed_states: [],
      service_response: { answer: 42 },
    })
    const asked = (await call("test/maybe_answer?return_response=true")).json
    expect(asked).toEqual({
      changed_states: [expect.objectContaining({ entity_id: "sensor.maybe" })],
      service_response: { answer: 42 },
    })
    expect((await call("test/maybe_answer")).json).toEqual([expect.objectContaining({ entity_id: "sensor.maybe" })])
  })

  it("a service's refusal, failure and defect are answered", async () => {
    expect(json(await call("test/refuse"))).toEqual(said(400, "Not on Sundays"))
    expect(json(await call("test/fail"))).toEqual(said(500, "It is stuck"))
    expect(plain(await call("test/break"))).toEqual(
      text(500, "500 Internal Server Error\n\nServer got itself in trouble"),
    )
  })

  it("[73] a disconnected client does not end its service", async () => {
    const hungUp = new Promise<void>((resolve) => {
      const asking = request(`${home.url}/api/services/test/wait`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
        // A connection of its own: Deno repeats a request that is destroyed on a reused one.
        agent: false,
      })
      asking.on("error", () => resolve())
      asking.on("close", () => resolve())
      void begun(() => asking.end()).then(() => asking.destroy())
    })
    await hungUp
    expect(home.counts.wait).toBe(0)
    home.letGo()
    await eventually(() => home.counts.wait === 1)
  })

  /** Resolves when the service has been called, which `call` does once its event is listened to. */
  const begun = (call: () => void) =>
    new Promise<void>((resolve) => {
      request(
        `${home.url}/api/stream?restrict=call_service`,
        { headers: { authorization: `Bearer ${token}` } },
        (response) => {
          response.on("data", (chunk) => {
            if (String(chunk).startsWith("data: ping")) call()
            if (!String(chunk).includes('"wait"')) return
            response.destroy()
            resolve()
          })
        },
      ).end()
    })

  const eventually = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve))
  }
})
