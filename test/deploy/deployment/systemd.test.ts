/** The systemd unit starts the launcher, sets settings that exist, and passes systemd's own check where it is installed. */
import { existsSync } from "node:fs"
import { expect, it } from "vitest"
import { has, output, pathOf, textOf, unknownVariables } from "./files.ts"

const unit = textOf("deploy/systemd/wavepose.service")

it("starts the launcher with settings that exist", () => {
  const [, program] = /^ExecStart=.* \/opt\/wavepose\/(\S+) start/m.exec(unit)!
  expect(existsSync(pathOf(program!))).toBe(true)
  expect(unknownVariables(unit)).toEqual([])
})

it("is documented with a command that builds the console, because the folder is read-only for the service", () => {
  const step = /^2\. [\s\S]*?(?=^3\. )/m.exec(textOf("docs/installing.md").split("## systemd")[1]!)![0]
  const command = / node deploy\/launch\.mjs (\w+)`/.exec(step)![1]
  expect(textOf("deploy/launch.mjs")).toContain(`\n  ${command}: installAll,\n`)
})

it("is started again until its database answers", () => {
  for (const line of ["StartLimitIntervalSec=0", "Restart=on-failure"]) expect(unit).toContain(`${line}\n`)
})

it("runs as a user that is not root, without privileges", () => {
  expect(/^User=(.+)$/m.exec(unit)![1]).not.toBe("root")
  for (const line of ["NoNewPrivileges=true", "ProtectSystem=strict", "CapabilityBoundingSet=", "PrivateTmp=true"]) {
    expect(unit).toContain(`${line}\n`)
  }
})

it("writes only to its state folder", () => {
  const [, state] = /^StateDirectory=(.+)$/m.exec(unit)!
  expect(unit).toContain(`WAVEPOSE_DATA_DIR=/var/lib/${state}`)
})

it.skipIf(!has("systemd-analyze"))("passes systemd-analyze verify", () => {
  expect(output("systemd-analyze", ["verify", pathOf("deploy/systemd/wavepose.service")])).toEqual({
    status: 0,
    text: "",
  })
})

it.skipIf(!has("systemd-analyze"))("is little exposed, as systemd-analyze judges", () => {
  const args = ["security", "--offline=true", "--threshold=20", pathOf("deploy/systemd/wavepose.service")]
  expect(output("systemd-analyze", args)).toMatchObject({ status: 0 })
})
