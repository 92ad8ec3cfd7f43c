/** `npm run proto`, last step: writes the contract of the gRPC clients. */
import { writeFileSync } from "node:fs"
import { clientFiles } from "./client-files.ts"

for (const [path, content] of clientFiles()) writeFileSync(path, content)
