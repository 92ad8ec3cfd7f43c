/**
 * What is refused whichever operation is asked: credentials that are none, input of a wrong shape, and what the service cannot help.
 */
import { expect } from "vitest"
import { credentials, latest, signIn, storeDown, type Subject, validation } from "./case.ts"

export const refusals: Subject = {
  subject: "refusals",
  successes: [],
  failures: [
    { title: "no credentials", ...latest, status: 401, code: "AUTHENTICATION_ERROR" },
    { title: "an invalid token", ...latest, token: "abc.def.ghi", status: 401, code: "AUTHENTICATION_ERROR" },
    {
      title: "another scheme",
      ...latest,
      headers: { Authorization: "Basic dmVyYTp4" },
      status: 401,
      code: "AUTHENTICATION_ERROR",
    },
    {
      title: "an unknown API key",
      ...latest,
      headers: { "X-API-Key": "x" },
      status: 401,
      code: "AUTHENTICATION_ERROR",
    },
    {
      title: "several invalid fields",
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
    { title: "invalid JSON", ...signIn, body: "{", status: 400, code: validation },
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
      title: "a store that is down",
      ...signIn,
      body: credentials,
      given: storeDown,
      status: 503,
      code: "SERVICE_UNAVAILABLE",
    },
    {
      title: "a body that is too large",
      ...signIn,
      body: "x".repeat(1024 * 1024 + 1),
      status: 413,
      code: "PAYLOAD_TOO_LARGE",
    },
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
      check: (answer, _, world) => {
        expect(JSON.stringify(answer.json)).not.toContain("secret detail")
        const logged = world.logged.filter((line) => line.includes("find-me"))
        expect(logged.some((line) => line.includes("secret detail"))).toBe(true)
      },
    },
  ],
}
