/** Why a gRPC call to a service ended. */
import type { StatusObject } from "@grpc/grpc-js"

/** The details of a status, without what grpc-js puts around the cause of a failed connection. */
export const endReason = ({ code, details }: Pick<StatusObject, "code" | "details">): string =>
  (/Last error: (?:Error: )?(.*?)\. Resolution note: /.exec(details)?.[1] ?? details) || `status ${code} of gRPC`
