/**
 * Reporter of a test run: writes the counts and every failure to the file of `WAVEPOSE_TEST_SUMMARY`, which `deploy/launcher/tests.mjs` reads.
 *
 * Vitest's own JSON lacks errors outside of tests, such as an unhandled rejection, which fail a run in which all tests pass.
 */
import { writeFileSync } from "node:fs"
import { relative } from "node:path"
import type { Reporter, SerializedError, TestModule } from "vitest/node"

const firstLine = ({ message }: { readonly message: string }): string => message.trim().split("\n")[0]!

/** An error outside of tests, with the first place in a file of this project. */
const outside = (error: SerializedError): string => {
  const place = /\((?:file:\/\/)?(\S+\/test\/\S+)\)|at (?:file:\/\/)?(\S+\/test\/\S+)/.exec(error.stack ?? "")
  const at = place === null ? "" : ` (${relative(process.cwd(), place[1] ?? place[2]!)})`
  return `outside of tests: ${firstLine(error)}${at}`
}

/** What failed in a file: its loading, what is before and after tests, or tests. */
const failuresOf = (file: TestModule): ReadonlyArray<string> => {
  const name = relative(process.cwd(), file.moduleId)
  return [
    ...[file, ...file.children.allSuites()].flatMap((suite) =>
      suite.errors().map((error) => `${name}${"fullName" in suite ? ` > ${suite.fullName}` : ""}: ${firstLine(error)}`)
    ),
    ...[...file.children.allTests("failed")].map((test) =>
      `${name} > ${test.fullName}: ${firstLine(test.result().errors?.[0] ?? { message: "no reason" })}`
    ),
  ]
}

const countOf = (files: ReadonlyArray<TestModule>, state: "passed" | "failed" | "skipped"): number =>
  files.reduce((sum, { children }) => sum + [...children.allTests(state)].length, 0)

export default class SummaryReporter implements Reporter {
  onTestRunEnd(files: ReadonlyArray<TestModule>, errors: ReadonlyArray<SerializedError>): void {
    const summary = {
      passed: countOf(files, "passed"),
      skipped: countOf(files, "skipped"),
      failures: [...files.flatMap(failuresOf), ...errors.map(outside)],
    }
    writeFileSync(process.env["WAVEPOSE_TEST_SUMMARY"]!, JSON.stringify(summary))
  }
}
