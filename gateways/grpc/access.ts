/**
 * Who may call which method of this edge: every method is in this table, or the server does not start.
 */
import type { Permission } from "../../protocols/domain/identity.ts"
import { csiIngestService, edgeService, posesService } from "../../protocols/grpc/services.ts"

/** The permission of each method by its path. Health and reflection are open, and tell nothing of a site. */
export const methodAccess = {
  [csiIngestService.Stream.path]: "process",
  [posesService.GetLatest.path]: "read",
  [posesService.Watch.path]: "read",
  [edgeService.Watch.path]: "read",
  [edgeService.List.path]: "read",
} as const satisfies Readonly<Record<string, Permission>>

/** The paths of the methods that are served to those who are authorised. */
export const methodPaths: ReadonlyArray<string> = [csiIngestService, posesService, edgeService].flatMap((service) =>
  Object.values(service).map(({ path }) => path)
)
