/** Why a gRPC call to a service ended, and whether another one would end in the same way. */
import * as grpc from "@grpc/grpc-js"

/** The details of a status, without what grpc-js puts around the cause of a failed connection. */
export const endReason = ({ code, details }: Pick<grpc.StatusObject, "code" | "details">): string =>
  (/Last error: (?:Error: )?(.*?)\. Resolution note: /.exec(details)?.[1] ?? details) || `status ${code} of gRPC`

const permanent: ReadonlyArray<grpc.status> = [
  grpc.status.UNAUTHENTICATED,
  grpc.status.PERMISSION_DENIED,
  grpc.status.UNIMPLEMENTED,
]

/** Whether another call would end in the same way: the service rejects the credentials, or does not have the method. */
export const isPermanent = ({ code }: Pick<grpc.StatusObject, "code">): boolean => permanent.includes(code)
