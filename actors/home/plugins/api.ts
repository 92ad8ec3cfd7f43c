/**
 * The API of a wavepose plugin: what a plugin exports, and what it is given.
 *
 * A plugin runs in a process with the permissions of its `manifest.json` and no others. The host answers all calls; one that is
 * not permitted fails with an error whose `name` is "RuntimeError".
 */

export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

/** Why something happened. */
export interface Context {
  readonly id: string
  readonly parent_id: string | null
  readonly user_id: string | null
}

export interface State {
  readonly entity_id: string
  readonly state: string
  readonly attributes: JsonObject
  readonly last_changed: string
  readonly last_reported: string
  readonly last_updated: string
  readonly context: Context
}

export interface HomeEvent {
  readonly event_type: string
  readonly data: JsonObject
  readonly origin: "LOCAL" | "REMOTE"
  readonly time_fired: string
  readonly context: Context
}

/** The kind of value of a service's field; exactly one key. */
export type Selector =
  | { readonly text: { readonly multiline?: boolean } }
  | {
    readonly number: {
      readonly min?: number
      readonly max?: number
      readonly step?: number
      readonly mode?: "box" | "slider"
      readonly unit_of_measurement?: string
    }
  }
  | { readonly boolean: Record<string, never> }
  | { readonly select: { readonly options: ReadonlyArray<string>; readonly multiple?: boolean } }
  | { readonly entity: { readonly domain?: ReadonlyArray<string> } }
  | { readonly object: Record<string, never> }

export interface Field {
  readonly name?: string
  readonly description?: string
  readonly required?: boolean
  readonly example?: Json
  readonly selector: Selector
}

/** A service of the plugin's own domain. */
export interface ServiceDefinition {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly fields?: { readonly [name: string]: Field }
  /** The service can be aimed at entities of these domains, devices and areas; `required`: every call must be. */
  readonly target?: { readonly required?: boolean; readonly domains?: ReadonlyArray<string> }
  /** Whether it answers with data: "none" by default. */
  readonly response?: "none" | "optional" | "only"
}

export interface ServiceCall {
  /** Has passed the fields' checks. */
  readonly data: JsonObject
  /** The entities that the call is aimed at. */
  readonly entity_ids: ReadonlyArray<string>
  /** Give it to `states.set`, so that the change is known as this call's. */
  readonly context: Context
  readonly return_response: boolean
}

/** Thrown by a handler for a mistake of the caller; any other error is a failure of the service. */
export interface ServiceValidationError extends Error {
  readonly name: "ServiceValidationError"
}

export interface EntityRegistration {
  readonly entityId: string
  /** Unique within the plugin, for ever. */
  readonly uniqueId: string
  readonly name?: string | null
  readonly deviceId?: string | null
  readonly icon?: string | null
  readonly areaId?: string | null
  readonly entityCategory?: "config" | "diagnostic" | null
}

export interface DeviceRegistration {
  /** Begins with the plugin's domain and a hyphen. */
  readonly deviceId: string
  /** Pairs whose first part is the plugin's domain. */
  readonly identifiers: ReadonlyArray<readonly [domain: string, id: string]>
  readonly name?: string | null
  readonly manufacturer?: string | null
  readonly model?: string | null
  readonly swVersion?: string | null
  readonly serialNumber?: string | null
}

export interface Home {
  /** The plugin's own. */
  readonly domain: string
  readonly states: {
    readonly get: (entityId: string) => Promise<State | null>
    /** All that the plugin may see. */
    readonly all: () => Promise<ReadonlyArray<State>>
    /** Attributes are replaced whole. A state is a text of at most 255 characters. */
    readonly set: (
      entityId: string,
      state: string,
      attributes?: JsonObject,
      options?: { readonly forceUpdate?: boolean; readonly context?: Context },
    ) => Promise<void>
    /** False: there was none. */
    readonly remove: (entityId: string, options?: { readonly context?: Context }) => Promise<boolean>
  }
  /** Makes an entity known beyond its state: it stays, as unavailable, while the plugin does not run, with the attribute `last_state`. */
  readonly registerEntity: (entity: EntityRegistration) => Promise<void>
  readonly registerDevice: (device: DeviceRegistration) => Promise<void>
  readonly services: {
    /** A service that only responds, or was asked for a response, answers with an object. */
    readonly register: (
      definition: ServiceDefinition,
      handler: (call: ServiceCall) => JsonObject | null | void | Promise<JsonObject | null | void>,
    ) => Promise<void>
    readonly unregister: (name: string) => Promise<void>
    /** Waits until it is done; the response where it was asked for, else null. */
    readonly call: (
      domain: string,
      service: string,
      data?: JsonObject,
      options?: { readonly returnResponse?: boolean },
    ) => Promise<JsonObject | null>
  }
  readonly events: {
    /**
     * Subscribes to events of a type, in order, one at a time: the next one waits for the handler. `dropped` events before this one were
     * lost, because the plugin was too slow. Returns a function that unsubscribes.
     */
    readonly on: (
      eventType: string,
      handler: (event: HomeEvent, dropped: number) => void | Promise<void>,
    ) => Promise<() => Promise<void>>
    readonly fire: (eventType: string, data?: JsonObject) => Promise<void>
  }
  /** Sets the handler that updates the states of these entities of the plugin. */
  readonly onUpdate: (handler: (entityIds: ReadonlyArray<string>) => void | Promise<void>) => void
  readonly log: (level: "debug" | "info" | "warn" | "error", message: string) => void
}

/** The exports of a plugin's module. */
export interface Plugin {
  /**
   * Runs once; true is success, and anything else a failure. An error whose `name` is "NotReady" means that something the plugin needs is
   * not available yet: setup is tried again after 5 s, and then less often.
   */
  readonly setup: (home: Home) => boolean | Promise<boolean>
  /** Closes what the plugin has opened; the host removes its entities, services and listeners. */
  readonly unload?: () => boolean | Promise<boolean>
}
