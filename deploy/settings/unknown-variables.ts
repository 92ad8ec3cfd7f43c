/**
 * Environment variables named like those of the service that nothing reads, such as misspelt ones. Pure.
 */
import { settingNames } from "./settings.ts"

/** Variables that commands or tests read, not the service. */
const others = [
  "WAVEPOSE_API_KEY",
  "WAVEPOSE_NODE_KEY",
  "WAVEPOSE_IMAGE",
  "WAVEPOSE_PYTHON",
  "WAVEPOSE_RECORDINGS",
  "WAVEPOSE_SCREENSHOTS",
  "WAVEPOSE_TEST_SUMMARY",
]

const known: ReadonlySet<string> = new Set([...settingNames, ...others])

/** Kubernetes and Docker describe a service named `wavepose` by such variables. */
const ofContainers = /^WAVEPOSE_(SERVICE_|PORT_\d+_)/

/** Number of characters to insert, remove or replace between two words. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]!
}

/** A known name is proposed if this many characters or fewer differ. */
const distanceMax = 3

/** One sentence for each variable that nothing reads, with the name that may be meant. */
export const unknownVariables = (environment: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> =>
  Object.keys(environment).filter((name) =>
    name.startsWith("WAVEPOSE_") && !known.has(name) && !ofContainers.test(name)
  ).sort().map((name) => {
    const [nearest] = settingNames.map((setting) => ({ setting, distance: distance(name, setting) }))
      .filter(({ distance }) => distance <= distanceMax)
      .sort((a, b) => a.distance - b.distance)
    const advice = nearest === undefined ? "deploy/README.md lists the settings" : `is ${nearest.setting} meant?`
    return `no setting is named ${name}, so it has no effect: ${advice}`
  })
