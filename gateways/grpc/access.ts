/**
 * The permission that each gRPC method needs. The server does not start if a method is missing here.
 */
import type { Permission } from "../../protocols/domain/identity.ts"
import { csiIngestService, edgeService, posesService } from "../../protocols/grpc/services.ts"

/** The permission of each method, by path. Health and reflection need none: they expose nothing about a site. */
export const methodAccess = {
  [csiIngestService.Stream.path]: "process",
  [posesService.GetLatest.path]: "read",
  [posesService.Watch.path]: "read",
  [edgeService.Watch.path]: "read",
  [edgeService.List.path]: "read",
} as const satisfies Readonly<Record<string, Permission>>

/** The paths of the methods that need a permission. */
export const methodPaths: ReadonlyArray<string> = [csiIngestService, posesService, edgeService].flatMap((service) =>
  Object.values(service).map(({ path }) => path)
)
