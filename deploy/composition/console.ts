/** The built web console, as the pose gateway serves it. */
import { join } from "node:path"
import { Effect } from "effect"
import { cacheFolder } from "../../actors/runtime/cache-folder.ts"
import { readConsoleAssets } from "../../gateways/console/console-assets.ts"

/** The console's files; none if it was not built or cannot be read, in which case the rest of the service runs all the same. */
export const consoleAssets = Effect.tryPromise(() => readConsoleAssets(join(cacheFolder, "console"))).pipe(
  Effect.catch((cause) => Effect.as(Effect.logWarning("the web console cannot be read", cause), [])),
)
