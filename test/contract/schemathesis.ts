/**
 * What schemathesis expects of the service, and what it said. Pure.
 */
import { partlyInvalid } from "../../protocols/pose-api/process.ts"

// deno-lint-ignore no-explicit-any
type Json = any

/** Statuses of an answer to a request that its schemas allow. */
const accepted = ["2xx", "3xx", 401, 403, 404, 409, 429, 503]
/** Statuses of an answer to a request that they do not allow. */
const rejected = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429]

const listOf = (statuses: ReadonlyArray<string | number>): string => JSON.stringify(statuses).replaceAll(",", ", ")

/** Whether the only input of an operation is the form, whose absence means the default of the service. */
const takesNothing = ({ parameters = [], requestBody }: Json): boolean =>
  requestBody === undefined && parameters.length === 0

/**
 * The configuration for a document: an operation may reject what its schemas allow only if it documents rules beside them, and `allowed` is
 * the number of these.
 */
export const expectationsOf = (document: Json): { readonly text: string; readonly allowed: number } => {
  const sections: Array<string> = []
  let allowed = 0
  for (const [path, methods] of Object.entries<Json>(document.paths)) {
    for (const [method, operation] of Object.entries<Json>(methods)) {
      if (method === "parameters") continue
      const section = (check: string, statuses: ReadonlyArray<string | number>) =>
        sections.push(
          `[[operations]]\ninclude-name = "${method.toUpperCase()} ${path}"\nchecks.${check}.expected-statuses = ${
            listOf(statuses)
          }\n`,
        )
      if (operation.description.includes("422 unless")) {
        allowed++
        section("positive_data_acceptance", [...accepted, 422])
      }
      if (takesNothing(operation) || operation.description.includes(partlyInvalid)) {
        section("negative_data_rejection", [...rejected, "2xx"])
      }
    }
  }
  return { text: sections.join("\n"), allowed }
}

/** The end of the output in one line. */
export const summaryOf = (output: string): string =>
  output.slice(output.lastIndexOf("SUMMARY")).split("\n").map((line) => line.trim())
    .filter((line) => /^(Selected|Tested|❌|✅|\d+ generated|API Links|No issues|=+ .* in )/.test(line))
    .map((line) => line.replace(/^=+ | =+$/g, ""))
    .join("; ") + "."
