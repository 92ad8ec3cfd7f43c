/**
 * `npm run proto`, last step: writes the contract of the TypeScript and the Python client of gRPC, from the `.proto` files and the descriptors.
 */
import { fileURLToPath } from "node:url"
import { loadContract } from "./load-contract.ts"
import { writePythonClient } from "./python-client.ts"
import { writeTypescriptClient } from "./typescript-client.ts"

const protocols = fileURLToPath(new URL("../../protocols", import.meta.url))
const root = loadContract(`${protocols}/grpc`)

writeTypescriptClient(root, `${protocols}/clients/typescript/generated`)
writePythonClient(
  root,
  `${protocols}/grpc/generated/descriptors.binpb`,
  `${protocols}/clients/python/wavepose_client/generated`,
)
