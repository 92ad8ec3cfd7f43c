/**
 * What each gRPC method declares: the permission that it needs, and the limit that it counts against. The server does not start if a
 * method is missing here.
 */
import { csiIngestService, edgeService, posesService } from "../../protocols/grpc/services.ts"
import type { MethodAccess } from "./admission.ts"

/** By path. Health and reflection are not listed: they expose nothing about a site. */
export const methodAccess = {
  [csiIngestService.Stream.path]: { access: "process", category: "pose-processing" },
  [posesService.GetLatest.path]: { access: "read", category: "pose-data" },
  [posesService.Watch.path]: { access: "read", category: "pose-data" },
  [edgeService.Watch.path]: { access: "read", category: "pose-data" },
  [edgeService.List.path]: { access: "read", category: "pose-data" },
} as const satisfies Readonly<Record<string, MethodAccess>>

/** The paths of the methods that need a permission. */
export const methodPaths: ReadonlyArray<string> = [csiIngestService, posesService, edgeService].flatMap((service) =>
  Object.values(service).map(({ path }) => path)
)
