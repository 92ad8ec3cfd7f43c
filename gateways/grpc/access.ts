/**
 * What each gRPC method declares: the scope that it needs, and the limit that it counts against. The server does not start if a
 * method is missing here.
 */
import { operationList } from "../../protocols/grpc/contract/operations.ts"
import { streams } from "../../protocols/grpc/contract/streams.ts"
import {
  csiIngestService,
  csiRecordingService,
  edgeService,
  homeService,
  operationServices,
  processService,
} from "../../protocols/grpc/services.ts"
import type { MethodAccess } from "./admission.ts"

const pathOf = (service: string, method: string): string => `/wavepose.v1.${service}/${method}`

const edge: MethodAccess = { access: "read:poses", category: "pose-data" }

const home: Readonly<Record<string, MethodAccess>> = {
  ListHomeStates: { access: "read:home", category: "pose-data" },
  WatchHomeStates: { access: "read:home", category: "pose-data" },
  SetHomeState: { access: "write:home", category: "pose-data" },
  ListHomeServices: { access: "read:home", category: "pose-data" },
  CallHomeService: { access: "write:home", category: "pose-data" },
}

/** By path. Health and reflection are not listed: they expose nothing about a site. */
export const methodAccess: Readonly<Record<string, MethodAccess>> = {
  ...Object.fromEntries(
    operationList.map(({ endpoint: { access, category }, method, service }) => [
      pathOf(service, method),
      { access, category },
    ]),
  ),
  ...Object.fromEntries(
    Object.values(streams).map((
      { access, category, method, service },
    ) => [pathOf(service, method), { access, category }]),
  ),
  [csiIngestService.StreamCsi.path]: { access: "process:csi", category: "pose-processing" },
  [csiRecordingService.RecordCsi.path]: { access: "admin", category: "pose-data" },
  [processService.ProcessCsi.path]: { access: "process:csi", category: "pose-processing" },
  ...Object.fromEntries(Object.entries(home).map(([method, access]) => [pathOf("HomeService", method), access])),
  [edgeService.WatchEdge.path]: edge,
  [edgeService.ListEdge.path]: edge,
}

/** The paths of all methods that need an admission. */
export const methodPaths: ReadonlyArray<string> = [
  csiIngestService,
  csiRecordingService,
  processService,
  homeService,
  edgeService,
  ...operationServices.values(),
].flatMap((service) => Object.values(service).map(({ path }) => path))
