/**
 * Which web pages of other origins may call the home API: those of a list. Credentials (cookies) never.
 */
import { type Answer, emptyAnswer, type Headers, plainAnswer } from "./answer.ts"

const methods = "GET, POST, OPTIONS, DELETE"
const headerNames = ["Authorization", "Content-Type", "Accept"]

/** Ports of development servers and of this API's kind, on this machine. */
const localPorts = [3000, 5173, 8080, 8123]

/** The origins that are allowed where nobody says otherwise: local ones, with the port that the API listens on. */
export const defaultOrigins = (port: number): ReadonlyArray<string> =>
  [...new Set([...localPorts, port])].flatMap((port) => [`http://localhost:${port}`, `http://127.0.0.1:${port}`])

/** What an answer says to a page of this origin. */
export const corsHeaders = (origin: string | undefined, allowed: ReadonlySet<string>): Headers =>
  origin === undefined || !allowed.has(origin) ? {} : { "Access-Control-Allow-Origin": origin, Vary: "Origin" }

/** The answer to a browser that asks before it calls. */
export const preflight = (
  origin: string | undefined,
  wantedMethod: string | undefined,
  wantedHeaders: string | undefined,
  allowed: ReadonlySet<string>,
): Answer => {
  const taken = (name: string) => headerNames.some((known) => known.toLowerCase() === name.trim().toLowerCase())
  const fits = origin !== undefined && allowed.has(origin) && methods.split(", ").includes(wantedMethod ?? "") &&
    (wantedHeaders ?? "").split(",").filter((name) => name.trim() !== "").every(taken)
  if (!fits) return plainAnswer(403)
  return emptyAnswer(200, {
    ...corsHeaders(origin, allowed),
    "Access-Control-Allow-Methods": methods,
    "Access-Control-Allow-Headers": headerNames.join(", "),
    "Access-Control-Max-Age": "600",
  })
}
