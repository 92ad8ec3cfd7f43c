/**
 * A step of `npm run checks`: the gRPC contract has the style of buf's STANDARD, and everything that an earlier contract had; and its clients
 * are generated from it.
 *
 * `contract.txt` grows only: `record`, a step of `npm run proto`, adds the lines of what is new. A line that is gone is a change that breaks
 * clients. To accept one, remove the line by hand, where a reviewer sees it.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { clientFiles } from "./client-files.ts"
import { contractFiles, contractLines } from "./contract.ts"
import { lint } from "./lint.ts"

const recordFile = new URL("../../protocols/grpc/generated/contract.txt", import.meta.url)

const files = contractFiles()
const current = contractLines(files)
const recorded = readFileSync(recordFile, "utf8").split("\n").filter((line) => line !== "")
const known = new Set(recorded)
const added = current.filter((line) => !known.has(line))

if (process.argv.includes("record") && added.length > 0) {
  writeFileSync(recordFile, `${[...recorded, ...added].sort().join("\n")}\n`)
}
const present = new Set(current)
const isStale = ([path, content]: readonly [string, Buffer]): boolean =>
  !existsSync(path) || !readFileSync(path).equals(content)
const complaints = [
  ...process.argv.includes("record")
    ? []
    : clientFiles().filter(isStale).map(([path]) => `not generated again, run \`npm run proto\`: ${path}`),
  ...lint(files).map((text) => `style: ${text}`),
  ...recorded.filter((line) => !present.has(line)).map((line) => `breaks clients, because it is gone: ${line}`),
  ...process.argv.includes("record") ? [] : added.map((line) => `not recorded, run \`npm run proto:record\`: ${line}`),
]
for (const complaint of complaints) console.error(`gRPC contract: ${complaint}`)
process.exitCode = complaints.length > 0 ? 1 : 0
