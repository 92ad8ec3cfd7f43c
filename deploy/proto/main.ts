/**
 * `npm run proto`, first step: writes the `.proto` files of the services that are operations of the REST API.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { protoFiles } from "../../protocols/grpc/contract/proto-files.ts"
import { protoText } from "../../protocols/grpc/contract/proto-text.ts"

const folder = fileURLToPath(new URL("../../protocols/grpc", import.meta.url))
const files = protoFiles()
const shared = new Set(files[0]!.messages.map(({ name }) => name))

for (const file of files) {
  const path = join(folder, file.path)
  const previous = existsSync(path) ? readFileSync(path, "utf8") : null
  const text = protoText(file, shared, previous)
  if (text !== previous) writeFileSync(path, text)
}
