/** `wavepose record` as its user runs it: a process, datagrams over a real socket, labels on stdin. */
import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { createSocket } from "node:dgram"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { unzipSync } from "fflate"
import { afterAll, describe, expect, it } from "vitest"
import { makeSigner } from "../../../gateways/datagrams/signature.ts"
import { readCaptures } from "../../../deploy/eval/recordings/captures.ts"
import { readRecordedHeader } from "../../../deploy/source/capture.ts"
import { readRecordingHeader, RecordingReader } from "../../../sim/recording/recording-decoder.ts"
import { runCommand } from "../../harness/command.ts"
import { ruviewDatagram } from "../../harness/ruview.ts"
import { eventually, interrupt, runtimeArguments } from "../../harness/service.ts"

const root = mkdtempSync(join(tmpdir(), "wavepose-record-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** A datagram whose values change with each packet. */
const datagram = (node: number, sequence: number): Uint8Array =>
  ruviewDatagram(node, sequence, (i) => 20 + (i + sequence) % 7)

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const socket = createSocket("udp4")
    socket.bind(0, "127.0.0.1", () => {
      const { port } = socket.address()
      socket.close(() => resolve(port))
    })
  })

const framesIn = (file: string) => {
  const { batches, faults } = new RecordingReader().push(new Uint8Array(readFileSync(file)))
  return { batches, faults, frames: batches.reduce((sum, { frameCount }) => sum + frameCount, 0) }
}

const headerIn = (file: string) => readRecordingHeader(new Uint8Array(readFileSync(file)))

/** A running recorder, and a node that sends to it until it is told to stop. */
const startRecorder = async (file: string, ...options: ReadonlyArray<string>) => {
  const port = await freePort()
  const args = ["record", file, "--listen", `127.0.0.1:${port}`, ...options]
  const child = spawn(process.execPath, [...runtimeArguments(), ...args], { stdio: ["pipe", "pipe", "pipe"] })
  const output = { stdout: "", stderr: "" }
  child.stdout!.on("data", (bytes) => output.stdout += String(bytes))
  child.stderr!.on("data", (bytes) => output.stderr += String(bytes))
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  await eventually(() => Promise.resolve(output.stderr), (text) => text.includes("recording"))
  const socket = createSocket("udp4")
  const sign = makeSigner(`wpk-7-${"ab".repeat(32)}`, 1)!
  let sequence = 0
  /** Sends 20 datagrams of two nodes, the second signed, until the file has more frames. */
  const grow = async () => {
    const before = framesIn(file).frames
    await eventually(() => {
      sequence++
      socket.send(datagram(1, sequence), port, "127.0.0.1")
      socket.send(sign(datagram(2, sequence)), port, "127.0.0.1")
      return Promise.resolve(framesIn(file).frames)
    }, (frames) => frames > before + 20)
  }
  const say = async (label: string) => {
    child.stdin!.write(`${label}\n`)
    await eventually(() => Promise.resolve(headerIn(file)), (header) => header?.capture?.labels.at(-1)?.label === label)
  }
  const close = () => socket.close()
  return { child: child as ChildProcess, close, ended, grow, output, port, say }
}

describe("wavepose record", () => {
  it("records nodes with labels that change, forwards them, and describes the result", async () => {
    const file = join(root, "kitchen.wavepose")
    const service = createSocket("udp4")
    let forwarded = 0
    service.on("message", () => forwarded++)
    const servicePort = await new Promise<number>((resolve) =>
      service.bind(0, "127.0.0.1", () => resolve(service.address().port))
    )
    const options = ["--environment", "kitchen", "--label", "empty", "--note", "test", "--json"]
    const recorder = await startRecorder(file, ...options, "--forward", `127.0.0.1:${servicePort}`)
    await recorder.grow()
    await recorder.say("walking")
    await recorder.grow()
    await eventually(() => Promise.resolve(forwarded), (count) => count > 40)
    interrupt(recorder.child)
    expect(await recorder.ended).toBe(0)
    recorder.close()
    service.close()
    const { faults, frames } = framesIn(file)
    const result = JSON.parse(recorder.output.stdout)
    expect(faults).toEqual([])
    expect(result.frames["node-1"] + result.frames["node-2"]).toBe(frames)
    expect(result.labels.map(({ label }: { label: string }) => label)).toEqual(["empty", "walking"])
    const header = await Effect.runPromise(readRecordedHeader(file))
    expect(header).toMatchObject({
      scenarioId: null,
      sites: [{ environmentId: "kitchen", routers: ["node-1", "node-2"] }],
      capture: { note: "test", labels: [{ label: "empty", fromS: 0 }, { label: "walking", untilS: null }] },
    })
    const { captures, unlabelled } = readCaptures(root, () => null)
    expect(unlabelled).toEqual([])
    expect(
      captures.map(({ label: { link, room, spans }, name }) => [name, room, link, spans.map(({ state }) => state)]),
    )
      .toEqual(
        ["node-1", "node-2"].map((id) => [`kitchen.wavepose#${id}`, "kitchen", `kitchen ${id}`, ["empty", "moving"]]),
      )
  }, 60_000)

  it("leaves a readable file when it is killed, and never replaces one", async () => {
    const file = join(root, "killed.wavepose")
    const recorder = await startRecorder(file, "--label", "still")
    await recorder.grow()
    recorder.child.kill("SIGKILL")
    await recorder.ended
    recorder.close()
    const { frames } = framesIn(file)
    expect(frames).toBeGreaterThan(20)
    expect(headerIn(file)?.capture?.labels).toEqual([{ label: "still", fromS: 0, untilS: null }])
    const cut = join(root, "cut.wavepose")
    writeFileSync(cut, readFileSync(file).subarray(0, -5))
    expect(framesIn(cut).frames).toBeGreaterThan(0)
    const again = await runCommand(["record", file, "--seconds", "1", "--listen", `127.0.0.1:${recorder.port}`])
    expect(again).toMatchObject({ code: 1, stderr: expect.stringMatching(/killed\.wavepose" cannot be written/) })
  }, 60_000)

  it("becomes NumPy arrays that the service reads again, with the labels", async () => {
    const file = join(root, "killed.wavepose")
    const output = join(root, "killed.npz")
    const converted = await runCommand(["recording", "convert", file, output, "--router", "node-2", "--json"])
    expect(converted.code).toBe(0)
    expect(JSON.parse(converted.stdout)).toMatchObject({ router_id: "node-2" })
    const { frames } = JSON.parse(converted.stdout)
    const labels = unzipSync(new Uint8Array(readFileSync(output)))["label.npy"]!
    expect(new TextDecoder("latin1").decode(labels)).toContain(
      `'descr': '<U5', 'fortran_order': False, 'shape': (${frames},)`,
    )
    const codes = new Uint32Array(labels.slice(-4 * 5 * frames).buffer)
    expect(String.fromCodePoint(...codes)).toBe("still".repeat(frames))
    const inspected = await runCommand(["inspect", output, "--json"])
    expect(inspected.code).toBe(0)
    expect(JSON.parse(inspected.stdout).frames).toBe(frames)
    const timed = await runCommand(["recording", "convert", output, join(root, "timed.npz"), "--rate", "50"])
    expect(timed).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no CSI frames\. .* --rate has no effect\. Leave it out/),
    })
  }, 60_000)

  it("says what to do where the port is in use", async () => {
    const busy = createSocket("udp4")
    const port = await new Promise<number>((resolve) => busy.bind(0, "127.0.0.1", () => resolve(busy.address().port)))
    const ended = await runCommand(["record", join(root, "busy.wavepose"), "--listen", `127.0.0.1:${port}`])
    busy.close()
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/Cannot listen on .* in use/i) })
  }, 30_000)
})
