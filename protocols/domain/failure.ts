/**
 * Failures that cross actors and edges: typed, with a message that tells the reader what to do.
 *
 * Each edge maps them to its own codes: `protocols/pose-api/errors.ts`, `protocols/pose-api/socket-messages.ts`, `gateways/grpc`.
 */
import { Data, Schema } from "effect"

/** This router is not enrolled. */
export class UnknownRouter extends Schema.TaggedError<UnknownRouter>()("UnknownRouter", {
  routerId: Schema.String,
  message: Schema.String,
}) {
  static of(routerId: string): UnknownRouter {
    return new UnknownRouter({
      routerId,
      message: `Router "${routerId}" is not enrolled. Enrol it in an environment before it sends.`,
    })
  }
}

/** A CSI batch that cannot be read. `field` names the fault. */
export class InvalidBatch extends Schema.TaggedError<InvalidBatch>()("InvalidBatch", {
  field: Schema.String,
  message: Schema.String,
}) {}

/** The most environments that a message names. */
export const namedMax = 10

/** A sentence with the known environments. `total` is their number if `ids` has only the first ones. */
const listOf = (ids: ReadonlyArray<string>, total: number): string => {
  if (total === 0) return "No environment is enrolled."
  const named = ids.slice(0, namedMax)
  const others = total > named.length ? ` and ${total - named.length} more` : ""
  return `Known environments: ${named.join(", ")}${others}.`
}

/** There is no environment of this id. */
export class UnknownEnvironment extends Schema.TaggedError<UnknownEnvironment>()("UnknownEnvironment", {
  environmentId: Schema.String,
  message: Schema.String,
}) {
  static of(environmentId: string): UnknownEnvironment {
    return new UnknownEnvironment({ environmentId, message: `There is no environment "${environmentId}".` })
  }
  /** Lists the known environments. `total` is their number if `known` has only the first ones. */
  static among(environmentId: string, known: ReadonlyArray<string>, total = known.length): UnknownEnvironment {
    const { message } = UnknownEnvironment.of(environmentId)
    return new UnknownEnvironment({ environmentId, message: `${message} ${listOf(known, total)}` })
  }
}

/** An environment cannot be enrolled as requested: its id or one of its routers is in use. */
export class EnrolmentConflict extends Schema.TaggedError<EnrolmentConflict>()("EnrolmentConflict", {
  /** Null: the id of the environment is in use. */
  routerId: Schema.NullOr(Schema.String),
  environmentId: Schema.String,
  message: Schema.String,
}) {
  static ofEnvironment(environmentId: string): EnrolmentConflict {
    return new EnrolmentConflict({
      routerId: null,
      environmentId,
      message:
        `Environment "${environmentId}" exists already. Change it with PUT or wavepose site change, or choose another id.`,
    })
  }
  static ofRouter(routerId: string, environmentId: string): EnrolmentConflict {
    return new EnrolmentConflict({
      routerId,
      environmentId,
      message: `Router "${routerId}" belongs to environment "${environmentId}". Remove it from that environment first.`,
    })
  }
}

/** An environment was changed after the caller read it. */
export class EnvironmentMoved extends Schema.TaggedError<EnvironmentMoved>()("EnvironmentMoved", {
  environmentId: Schema.String,
  revision: Schema.String,
  message: Schema.String,
}) {
  static of(environmentId: string, revision: string): EnvironmentMoved {
    return new EnvironmentMoved({
      environmentId,
      revision,
      message: `Environment "${environmentId}" was changed after it was read. Read it again, and repeat the change.`,
    })
  }
}

/** The requested model version is not in any weights file of the node. */
export class UnknownModel extends Schema.TaggedError<UnknownModel>()("UnknownModel", {
  modelVersion: Schema.String,
  message: Schema.String,
}) {}

/**
 * Weights exist but do not form a network, or they were removed after they were configured. `modelVersion` null: the weights that a node
 * was started with.
 */
export class UnusableModel extends Schema.TaggedError<UnusableModel>()("UnusableModel", {
  modelVersion: Schema.NullOr(Schema.String),
  message: Schema.String,
}) {
  /** The model of the configuration is missing. `reason` lists what exists. */
  static gone(modelVersion: string, reason: string): UnusableModel {
    return new UnusableModel({
      modelVersion,
      message:
        `The configuration names model "${modelVersion}", but its weights are missing. ${reason} Restore them, or name ` +
        "another model with neural_network.model_version (null: the one that the node was started with).",
    })
  }
}

/** The estimation system does not run, so there are no present poses. */
export class SystemNotRunning extends Schema.TaggedError<SystemNotRunning>()("SystemNotRunning", {
  status: Schema.String,
  message: Schema.String,
}) {}

/** The request does not fit the state of the system, e.g. start while it runs. */
export class SystemConflict extends Schema.TaggedError<SystemConflict>()("SystemConflict", {
  status: Schema.String,
  message: Schema.String,
}) {}

/** The system runs but no frame has been made yet; the message says why. */
export class NoFrames extends Schema.TaggedError<NoFrames>()("NoFrames", {
  /** Null: no environment has a frame. */
  environmentId: Schema.NullOr(Schema.String),
  message: Schema.String,
}) {}

/** The configuration has disabled this interface of the service. */
export class SwitchedOff extends Schema.TaggedError<SwitchedOff>()("SwitchedOff", {
  /** Dotted, as the bare form names it. */
  setting: Schema.String,
  message: Schema.String,
}) {
  static of(what: string, setting: string): SwitchedOff {
    return new SwitchedOff({
      setting,
      message: `${what} is switched off. An operator turns it on with PUT /api/v1/config {"${setting}": true}.`,
    })
  }
}

/** The store could not answer or store something. */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  message: Schema.String,
}) {
  /** The database has not answered for so long. */
  static readonly silentFor = (ms: number) =>
    new StoreUnavailable({ message: `The database did not answer within ${ms} ms.` })
}

/** An actor could not be reached in time: its node is going away or its mailbox is full. */
export class ActorUnavailable extends Schema.TaggedError<ActorUnavailable>()("ActorUnavailable", {
  actor: Schema.String,
  message: Schema.String,
}) {}

/** An actor did not answer within the caller's time limit. */
export class AnswerTimeout extends Data.TaggedError("AnswerTimeout")<{
  readonly actor: string
  readonly limitMs: number
}> {
  override get message(): string {
    return `${this.actor} did not answer within ${this.limitMs} ms. Try again.`
  }
}

/** A request needs packets of these routers, and all of them are silent. */
export class RoutersSilent extends Schema.TaggedError<RoutersSilent>()("RoutersSilent", {
  routerIds: Schema.Array(Schema.String),
  message: Schema.String,
}) {
  static of(routerIds: ReadonlyArray<string>): RoutersSilent {
    return new RoutersSilent({
      routerIds,
      message: `No packet comes from ${routerIds.join(", ")} any more. Switch them on, and see \`wavepose doctor\`.`,
    })
  }
}
