/**
 * `npm run contract`: what others' tools say about the served documents, against a running service with a simulated room.
 *
 * Without an argument: openapi-typescript with the TypeScript compiler, openapi-python-client (no operation may be missing), the
 * AsyncAPI parser, and schemathesis in both forms; the results are written to `test/contract/results.md`. `types` replaces all results but
 * those of schemathesis, `fuzz FORM` that of schemathesis in one form. `generate` writes the generated parts of the clients.
 */
import { execFile } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { type Form, forms } from "../../protocols/pose-api/forms.ts"
import { signIn, startService, type TestService } from "../harness/service.ts"
import { callWithGenerated, startWithPerson } from "./generated-client.ts"
import { pythonOperations } from "./python-operations.ts"
import { expectationsOf, summaryOf } from "./schemathesis.ts"
import { npm, python, root } from "./tools.ts"

// deno-lint-ignore no-explicit-any
type Json = any

const execute = promisify(execFile)

/** Examples for each operation in a phase: with them a form takes about ten minutes on two processors. */
const examplesMax = "8"

/** Operations that end the run's own credentials, or stop the service for the calls that follow. */
const excludedPaths = "^/api/v1/(auth/(api-keys|users|password|logout|refresh|token|keys)|system/(stop|restart))"

const folderOf = async (made: Promise<{ readonly folder: string } | { readonly reason: string }>): Promise<string> => {
  const result = await made
  if ("reason" in result) throw new Error(result.reason)
  return result.folder
}

const binOf = async (set: "client" | "tools"): Promise<string> => {
  const result = await python(set)
  if ("reason" in result) throw new Error(result.reason)
  return result.bin
}

const work = join(root, "node_modules", ".cache", "wavepose", "contract", "work")

/** Saves the served documents; returns their folder. */
const saveDocuments = async (service: TestService): Promise<string> => {
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  for (const name of ["openapi.bare.json", "openapi.envelope.json", "asyncapi.json"]) {
    writeFileSync(join(work, name), await (await fetch(`${service.pose}/api/v1/${name}`)).text())
  }
  return work
}

const read = (file: string): Json => JSON.parse(readFileSync(join(work, file), "utf8"))

const operationsIn = (document: Json): number =>
  Object.values<Json>(document.paths).flatMap((methods) => Object.keys(methods).filter((key) => key !== "parameters"))
    .length

const run = (program: string, args: ReadonlyArray<string>, env: Record<string, string> = {}) =>
  execute(program, [...args], { cwd: work, maxBuffer: 64 * 1024 * 1024, env: { ...process.env, ...env } })

const generate = async (): Promise<void> => {
  const types = await folderOf(npm("types"))
  const bin = await binOf("tools")
  const typescript = join(root, "protocols", "clients", "typescript", "generated")
  const generated = join(root, "protocols", "clients", "python", "wavepose_client", "generated")
  const { version } = read("openapi.bare.json").info
  for (const form of forms) {
    const document = `openapi.${form}.json`
    await run(join(types, "node_modules", ".bin", "openapi-typescript"), [
      document,
      "-o",
      join(typescript, `${form}.ts`),
    ])
    await run(join(bin, "datamodel-codegen"), [
      ...["--input", document, "--input-file-type", "openapi", "--openapi-scopes", "schemas"],
      ...["--output", join(generated, `${form}.py`), "--output-model-type", "typing.TypedDict"],
      ...["--target-python-version", "3.11", "--use-schema-description", "--use-field-description"],
      ...["--disable-timestamp", "--formatters", "builtin"],
    ])
    writeFileSync(join(generated, `operations_${form}.py`), pythonOperations(read(document), form))
  }
  writeFileSync(
    join(typescript, "version.ts"),
    `/** The version of the service whose documents the types are from. */\nexport const contractVersion = "${version}"\n`,
  )
  writeFileSync(
    join(generated, "__init__.py"),
    `"""Generated types and operations."""\n\nCONTRACT_VERSION = "${version}"\n`,
  )
}

interface Row {
  readonly tool: string
  readonly result: string
}

const typescriptRow = async (): Promise<Row> => {
  const types = await folderOf(npm("types"))
  const files = forms.map((form) => `${form}.ts`)
  for (const form of forms) {
    await run(join(types, "node_modules", ".bin", "openapi-typescript"), [`openapi.${form}.json`, "-o", `${form}.ts`])
  }
  await run(join(types, "node_modules", ".bin", "tsc"), ["--noEmit", "--strict", "--skipLibCheck", ...files])
  return { tool: "openapi-typescript 7.13.0, TypeScript 5.9.3 --strict", result: "both forms generate and compile" }
}

type Running = Awaited<ReturnType<typeof startWithPerson>>

const pythonRow = async (running: Running): Promise<Row> => {
  const bin = await binOf("tools")
  const results: Array<string> = []
  for (const form of forms) {
    const folder = `python_${form}`
    const args = [
      "generate",
      "--path",
      `openapi.${form}.json`,
      "--output-path",
      folder,
      "--meta",
      "none",
      "--fail-on-warning",
    ]
    await run(join(bin, "openapi-python-client"), args, { PATH: `${bin}:${process.env["PATH"]}` })
    const generated = readdirSync(join(work, folder, "api"), { recursive: true })
      .filter((name) => String(name).endsWith(".py") && !String(name).endsWith("__init__.py")).length
    const operations = operationsIn(read(`openapi.${form}.json`))
    if (generated !== operations) throw new Error(`openapi-python-client made ${generated} of ${operations} operations`)
    const client = {
      python: join(bin, "python"),
      folder: join(work, folder),
      form,
      document: read(`openapi.${form}.json`),
    }
    const called = await callWithGenerated(client, running)
    results.push(`${form}: ${generated} of ${operations} operations, ${called} calls of Part A`)
  }
  return { tool: "openapi-python-client 0.29.1, --fail-on-warning", result: results.join("; ") }
}

const asyncApiRow = async (): Promise<Row> => {
  const folder = await folderOf(npm("asyncapi"))
  const script = `
    import { Parser } from "@asyncapi/parser"
    import { readFileSync } from "node:fs"
    const { diagnostics, document } = await new Parser().parse(readFileSync(${
    JSON.stringify(join(work, "asyncapi.json"))
  }, "utf8"))
    const errors = diagnostics.filter(({ severity }) => severity < 2)
    console.log(JSON.stringify({ errors, messages: document?.allMessages().all().length ?? 0 }))`
  writeFileSync(join(folder, "check.mjs"), script)
  const { stdout } = await run(
    process.execPath,
    ["Deno" in globalThis ? "run" : "", "-A", join(folder, "check.mjs")].filter((arg) => arg !== ""),
  )
  const { errors, messages } = JSON.parse(stdout)
  if (errors.length > 0) throw new Error(`The AsyncAPI document is invalid: ${JSON.stringify(errors)}`)
  return { tool: "@asyncapi/parser 3.6.6", result: `valid; ${messages} messages` }
}

const typeRows = async (): Promise<ReadonlyArray<Row>> => {
  const running = await startWithPerson()
  try {
    return [await typescriptRow(), await pythonRow(running), await asyncApiRow()]
  } finally {
    await running.service.stop()
  }
}

/** A key of role administrator. */
const makeApiKey = async (service: TestService): Promise<string> => {
  const { body } = await (await signIn(service)).post("/auth/api-keys?form=bare", { name: "contract", role: "admin" })
  return body.key
}

/** Runs schemathesis on a service whose default is this form; its failures are in the result, and in full on the terminal. */
const schemathesisRow = async (form: Form): Promise<Row> => {
  const bin = await binOf("tools")
  const service = await startService({ args: ["--scenario", "small-room"], env: { WAVEPOSE_RESPONSE_FORM: form } })
  try {
    const config = join(work, `schemathesis-${form}.toml`)
    const { allowed, text } = expectationsOf(read(`openapi.${form}.json`))
    writeFileSync(config, text)
    const { stdout } = await run("nice", [
      ...[join(bin, "st"), "--config-file", config, "run", `${service.pose}/api/v1/openapi.${form}.json`],
      ...["-H", `X-API-Key: ${await makeApiKey(service)}`, "--checks", "all", "--workers", "1"],
      ...[
        "--phases",
        "examples,coverage,fuzzing,stateful",
        "--max-examples",
        examplesMax,
        "--generation-deterministic",
      ],
      ...["--exclude-path-regex", excludedPaths, "--request-timeout", "30", "--max-failures", "200", "--no-color"],
    ]).catch((error) => error as { stdout: string })
    console.log(stdout)
    return {
      tool: `schemathesis 4.32.5, ${form} form, all checks, stateful too`,
      result: `${summaryOf(stdout)} ${allowed} operations document rules beside their schemas.`,
    }
  } finally {
    await service.stop()
  }
}

const resultsFile = join(root, "test", "contract", "results.md")

/** Writes rows into the results. `kept`: rows of other tools stay. */
const writeRows = (rows: ReadonlyArray<Row>, kept: boolean): void => {
  const old = [...readFileSync(resultsFile, "utf8").matchAll(/^\| (?!Tool )([^|]+) \| ([^|]+) \|$/gm)]
    .map(([, tool, result]) => ({ tool: tool!, result: result! }))
  const all = kept
    ? [
      ...old.map((row) => rows.find(({ tool }) => tool === row.tool) ?? row),
      ...rows.filter(({ tool }) => !old.some((row) => row.tool === tool)),
    ]
    : rows
  const size = (form: string) => readFileSync(join(work, `openapi.${form}.json`)).byteLength
  const text = [
    "# What others' tools say about the contract",
    "",
    `Written by \`npm run contract\`. Documents: ${forms.map((form) => `${form} ${size(form)} bytes`).join(", ")}.`,
    "",
    "| Tool | Result |",
    "|---|---|",
    ...all.map(({ result, tool }) => `| ${tool} | ${result} |`),
    "",
  ].join("\n")
  writeFileSync(resultsFile, text)
  console.log(text)
}

const service = await startService({ args: ["--scenario", "small-room"] })
try {
  await saveDocuments(service)
} finally {
  await service.stop()
}
const fuzzed = process.argv.includes("fuzz") ? forms.filter((form) => process.argv.includes(form)) : []
if (process.argv.includes("generate")) {
  await generate()
} else if (process.argv.includes("types")) {
  writeRows(await typeRows(), true)
} else if (fuzzed.length > 0) {
  for (const form of fuzzed) writeRows([await schemathesisRow(form)], true)
} else {
  const rows = [...await typeRows()]
  for (const form of forms) rows.push(await schemathesisRow(form))
  writeRows(rows, false)
}
