/** The line about a failed installation, from what npm 11 prints. */
import { expect, it } from "vitest"
import { npmFailure } from "../../../deploy/launcher/npm-failure.mjs"

const errors = (...lines: ReadonlyArray<string>) => lines.map((line) => `npm error ${line}`)

it.each([
  [
    "names the code and the path of a file that cannot be written, and what to do",
    errors(
      "code EACCES",
      "syscall mkdir",
      "path /var/lib/wavepose",
      "errno EACCES",
      "FetchError: Invalid response body while trying to fetch https://registry.npmjs.org/zip-stream: EACCES",
      "    at async Response.json (/usr/lib/node_modules/npm/node_modules/minipass-fetch/lib/body.js:75:17)",
    ),
    /installed: EACCES: mkdir \/var\/lib\/wavepose\. Let this user write there, or set npm_config_cache/,
  ],
  [
    "gives npm's own sentence",
    errors("code EUSAGE", "", "`npm ci` can only install packages when the files are in sync.", "", "Clean install"),
    /installed: `npm ci` can only install packages when the files are in sync\. `npm ci --ignore-scripts` shows/,
  ],
  [
    "says that the registry cannot be reached",
    errors("code ECONNREFUSED", "syscall connect", "errno ECONNREFUSED", "FetchError: request failed"),
    /the npm registry cannot be reached \(ECONNREFUSED\)/,
  ],
  ["gives the last line of another program", ["sh: npm: not found"], /installed: sh: npm: not found\. /],
  ["says that there is no reason", [], /installed: npm gave no reason\. /],
])("%s", (_, lines, expected) => {
  expect(npmFailure(lines)).toMatch(expected)
})
