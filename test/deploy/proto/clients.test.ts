import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { loadContract } from "../../../deploy/proto/load-contract.ts"
import { writePythonClient } from "../../../deploy/proto/python-client.ts"
import { writeTypescriptClient } from "../../../deploy/proto/typescript-client.ts"

const protocols = fileURLToPath(new URL("../../../protocols", import.meta.url))

it("the contracts of the gRPC clients are those of the .proto files", () => {
  const folder = mkdtempSync(join(tmpdir(), "wavepose-proto-"))
  const root = loadContract(join(protocols, "grpc"))
  try {
    writeTypescriptClient(root, folder)
    writePythonClient(root, join(protocols, "grpc", "generated", "descriptors.binpb"), folder)
    for (
      const [client, name] of [
        ["typescript", "grpc.ts"],
        ["typescript", "grpc.json"],
        ["python/wavepose_client", "grpc_messages.pyi"],
        ["python/wavepose_client", "grpc.binpb"],
      ] as const
    ) {
      const committed = readFileSync(join(protocols, "clients", client, "generated", name))
      expect(committed.equals(readFileSync(join(folder, name))), `${name}: run npm run proto`).toBe(true)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
