/**
 * Failures of the home-automation runtime. The messages are those that its clients expect.
 */
import { Schema } from "effect"

export class InvalidEntityId extends Schema.TaggedError<InvalidEntityId>()("InvalidEntityId", {
  message: Schema.String,
}) {
  static readonly now = new InvalidEntityId({ message: "Invalid entity ID specified." })
}

export class InvalidEntityState extends Schema.TaggedError<InvalidEntityState>()("InvalidEntityState", {
  message: Schema.String,
}) {
  static readonly now = new InvalidEntityState({ message: "Invalid state specified." })
}

/** The most states that are read of the past at a time. */
export interface PastBounds {
  readonly statesMax: number
  /** Bytes of all of them, as they are stored. */
  readonly bytesMax: number
}

/** A period of the past has more states than are read at a time. */
export class TooManyStates extends Schema.TaggedError<TooManyStates>()("TooManyStates", {
  message: Schema.String,
}) {
  static of({ bytesMax, statesMax }: PastBounds): TooManyStates {
    const bounds = `${statesMax} states or ${bytesMax / 1_048_576} MiB of states`
    return new TooManyStates({
      message: `The period has more than ${bounds}. Ask for a shorter period or fewer entities.`,
    })
  }
}

/** The service does not exist. */
export class ServiceNotFound extends Schema.TaggedError<ServiceNotFound>()("ServiceNotFound", {
  domain: Schema.String,
  service: Schema.String,
  message: Schema.String,
}) {
  static of(domain: string, service: string): ServiceNotFound {
    return new ServiceNotFound({ domain, service, message: `Service ${domain}.${service} not found.` })
  }
}

/** The data of a call do not fit the schema of the service; the message names the field. */
export class InvalidServiceData extends Schema.TaggedError<InvalidServiceData>()("InvalidServiceData", {
  message: Schema.String,
}) {}

/** A response was requested from a service without one, or not requested from a service that only responds. */
export class WrongResponseUse extends Schema.TaggedError<WrongResponseUse>()("WrongResponseUse", {
  /** What the service supports. */
  supports: Schema.Literals(["none", "only"]),
  message: Schema.String,
}) {}

/** Keys with which a client can show a failure in its own language. */
const translation = {
  translationDomain: Schema.NullOr(Schema.String),
  translationKey: Schema.NullOr(Schema.String),
  translationPlaceholders: Schema.NullOr(Schema.Record(Schema.String, Schema.String)),
}

/** A service rejects its input: a mistake of the caller. */
export class ServiceRefused extends Schema.TaggedError<ServiceRefused>()("ServiceRefused", {
  message: Schema.String,
  ...translation,
}) {}

/** A service could not perform the call. */
export class ServiceFailed extends Schema.TaggedError<ServiceFailed>()("ServiceFailed", {
  message: Schema.String,
  ...translation,
}) {}

/** A service threw an unexpected exception. The message is that of the exception. */
export class ServiceBroke extends Schema.TaggedError<ServiceBroke>()("ServiceBroke", { message: Schema.String }) {}

export const ServiceFailure = Schema.Union([
  ServiceNotFound,
  InvalidServiceData,
  WrongResponseUse,
  ServiceRefused,
  ServiceFailed,
  ServiceBroke,
])
export type ServiceFailure = typeof ServiceFailure.Type
