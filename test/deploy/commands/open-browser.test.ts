import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { openBrowser } from "../../../deploy/commands/open-browser.ts"
import { openCommand } from "../../../deploy/console/open-command.mjs"

const link = "http://127.0.0.1:8000/#/welcome?code=abc"
const failure = (program: string, ...args: ReadonlyArray<string>) =>
  Effect.runPromise(Effect.map(Effect.flip(openBrowser({ program, args })), ({ message }) => message))

describe("opening the browser", () => {
  it.each(
    [
      ["linux", { program: "xdg-open", args: [link] }],
      ["darwin", { program: "open", args: [link] }],
      ["win32", { program: "cmd", args: ["/c", "start", "", link] }],
    ] as const,
  )("uses the program of the platform: %s", (platform, command) => expect(openCommand(platform, link)).toEqual(command))

  it("succeeds when the program does", () => Effect.runPromise(openBrowser({ program: "true", args: [link] })))

  it("fails with the program's status, without the link", async () => {
    expect(await failure("sh", "-c", "exit 3", link)).toBe("sh ended with status 3")
  })

  it("fails where the program does not exist", async () => {
    expect(await failure("wavepose-no-such-program", link)).toMatch(/^wavepose-no-such-program could not be run: /)
  })
})
