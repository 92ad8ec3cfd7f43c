/**
 * A service: its description for clients, the schema of its data, and its handler.
 *
 * Boundary: `registry.ts` runs it and publishes its events.
 */
import { Effect, Schema } from "effect"
import { type DataOf, type Fields, schemaOfFields } from "../../../protocols/domain/service-field.ts"
import {
  InvalidServiceData,
  ServiceFailed,
  type ServiceFailure,
  ServiceRefused,
} from "../../../protocols/domain/home-failure.ts"
import type { HomeContext, JsonObject } from "../../../protocols/domain/home.ts"
import type { HomeUnavailable } from "../../../protocols/ports/home-runtime.ts"
import type { ServiceDescription } from "../../../protocols/domain/service-description.ts"
import { decodeTarget, hasTarget, type Target, targetFields, targetOf } from "./target.ts"

/** Whether a service returns a response: never, on request, always. */
export type ResponseUse = "none" | "optional" | "only"

/** The entities that a service accepts as targets; `required`: a call must name one. */
interface TargetRule {
  readonly required: boolean
  /** Domains that clients offer; none: any. */
  readonly domains: ReadonlyArray<string>
}

/** A call that has passed the service's schema. */
export interface CheckedCall<Data> {
  readonly data: Data
  /** Unknown fields of the data; only of an open service. */
  readonly rest: JsonObject
  readonly target: Target
  readonly context: HomeContext
  readonly returnResponse: boolean
}

export type Outcome = Effect.Effect<JsonObject | null, ServiceFailure | HomeUnavailable>

export interface Service {
  readonly domain: string
  readonly name: string
  readonly response: ResponseUse
  readonly description: ServiceDescription
  /** Checks the data. Returns the effect that performs the call. */
  readonly prepare: (
    data: JsonObject,
    call: { readonly context: HomeContext; readonly returnResponse: boolean },
  ) => Effect.Effect<Outcome, InvalidServiceData>
}

interface ServiceDefinition<F extends Fields> {
  readonly domain: string
  readonly name: string
  /** For people. */
  readonly title?: string
  readonly text?: string
  readonly fields: F
  readonly target?: TargetRule
  readonly response?: ResponseUse
  /** Accepts unknown fields, to pass them on. */
  readonly open?: boolean
  readonly run: (call: CheckedCall<DataOf<F>>) => Outcome
}

const describe = (
  { fields, response = "none", target, text, title }: Omit<ServiceDefinition<Fields>, "run">,
): ServiceDescription => ({
  ...(title === undefined ? {} : { name: title }),
  ...(text === undefined ? {} : { description: text }),
  fields,
  ...(target === undefined
    ? {}
    : { target: { entity: target.domains.length === 0 ? [{}] : [{ domain: [...target.domains] }] } }),
  ...(response === "none" ? {} : { response: { optional: response === "optional" } }),
})

const invalid = (message: string) => new InvalidServiceData({ message: message.replaceAll(/\s+/g, " ") })

/** A service from its definition. */
export const defineService = <const F extends Fields>(definition: ServiceDefinition<F>): Service => {
  const { domain, fields, name, open = false, response = "none", run, target } = definition
  const decode = Schema.decodeUnknownEffect(schemaOfFields(fields), { onExcessProperty: "error", errors: "all" })
  const known = new Set(Object.keys(fields))
  const isTargetField = (field: string): boolean => !known.has(field) && targetFields.some((each) => each === field)

  const prepare: Service["prepare"] = Effect.fnUntraced(function* (data, call) {
    const parts = { own: {} as Record<string, Schema.Json>, aim: {} as typeof data, rest: {} as typeof data }
    for (const [field, value] of Object.entries(data)) {
      const part = target !== undefined && isTargetField(field) ? "aim" : open && !known.has(field) ? "rest" : "own"
      parts[part] = { ...parts[part], [field]: value }
    }
    if (target?.required === true && !hasTarget(parts.aim)) {
      return yield* invalid(`A call of ${domain}.${name} names at least one of ${targetFields.join(", ")}.`)
    }
    const checked: CheckedCall<DataOf<F>> = yield* Effect.all({
      data: decode(parts.own) as Effect.Effect<DataOf<F>, Schema.SchemaError>,
      target: Effect.map(decodeTarget(parts.aim), targetOf),
    }).pipe(
      Effect.map((fitting) => ({ ...fitting, ...call, rest: parts.rest })),
      Effect.mapError((error) => invalid(`The data of ${domain}.${name} do not fit: ${error.message}`)),
    )
    return Effect.suspend(() => run(checked))
  })

  return { domain, name, response, description: describe(definition), prepare }
}

const noTranslation = { translationDomain: null, translationKey: null, translationPlaceholders: null }

/** How clients name a mistake in their own languages. */
interface Translation {
  readonly domain: string
  readonly key: string
  readonly placeholders: Readonly<Record<string, string>>
}

/** The caller's mistake, which only the handler can detect. */
export const refused = (message: string, translation: Translation | null = null): ServiceRefused =>
  new ServiceRefused({
    message,
    ...(translation === null ? noTranslation : {
      translationDomain: translation.domain,
      translationKey: translation.key,
      translationPlaceholders: translation.placeholders,
    }),
  })

/** The service could not perform the call. */
export const failed = (message: string): ServiceFailed => new ServiceFailed({ message, ...noTranslation })
