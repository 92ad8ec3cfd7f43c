import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { writeTypescriptClient } from "../../../deploy/proto/typescript-client.ts"

const protocols = fileURLToPath(new URL("../../../protocols", import.meta.url))

it("the contract of the TypeScript client is that of the .proto files", () => {
  const folder = mkdtempSync(join(tmpdir(), "wavepose-proto-"))
  try {
    writeTypescriptClient(join(protocols, "grpc"), folder)
    for (const name of ["grpc.ts", "grpc.json"]) {
      const committed = readFileSync(join(protocols, "clients", "typescript", "generated", name), "utf8")
      expect(committed === readFileSync(join(folder, name), "utf8"), `${name}: run npm run proto`).toBe(true)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
