/** The error of a command that finds no service at an address. */
import { Data } from "effect"

export class ServiceSilent extends Data.TaggedError("ServiceSilent")<{ readonly message: string }> {}
