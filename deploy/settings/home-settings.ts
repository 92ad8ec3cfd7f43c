/**
 * Settings of the home-automation runtime: the port, tokens, origins and name of its API, its file of helpers, and its plugins.
 */
import { Redacted, Schema } from "effect"
import { join, resolve } from "node:path"
import { defaultPluginBudget, type PluginBudget } from "../../core/home/plugin-budget.ts"
import { originsOf } from "../../gateways/http/cors.ts"
import { elementsOf, port, withDefault } from "./variables.ts"

export interface HomeSettings {
  readonly port: number
  readonly tokens: ReadonlyArray<Redacted.Redacted>
  /** Accepts any token: for development only. */
  readonly development: boolean
  /** Origins of web pages that may call; null: the usual ones of this machine. */
  readonly origins: ReadonlyArray<string> | null
  readonly name: string
  /** File of the helpers; null: no helpers. */
  readonly config: string | null
  /** Folder of plugins; null: the one in the data folder. */
  readonly plugins: string | null
  readonly pluginBudget: PluginBudget
}

/** The variables, as fields of the schema of all settings. */
export const homeVariables = {
  WAVEPOSE_HOME_PORT: port(8123),
  WAVEPOSE_HOME_TOKENS: Schema.optionalKey(Schema.RedactedFromValue(Schema.NonEmptyString)),
  WAVEPOSE_HOME_DEV: withDefault(Schema.Literals(["0", "1"]), "0"),
  WAVEPOSE_HOME_CORS_ORIGINS: Schema.optionalKey(Schema.String),
  WAVEPOSE_HOME_NAME: withDefault(Schema.NonEmptyString, "wavepose"),
  WAVEPOSE_HOME_CONFIG: Schema.optionalKey(Schema.NonEmptyString),
  WAVEPOSE_PLUGINS: Schema.optionalKey(Schema.NonEmptyString),
  WAVEPOSE_PLUGIN_BUDGET: withDefault(
    Schema.String.check(
      Schema.isPattern(/^(?:(?:memory|cpu|disk|free|messages)=\d{1,6}(?:\.\d{1,3})?(?:,(?!$)|$))*$/, {
        expected: "memory=MiB,cpu=CORES,disk=MiB,free=MiB,messages=PER_SECOND, each of which may be absent",
      }),
    ),
    "",
  ),
} as const

const HomeVariables = Schema.Struct(homeVariables)

/** The budget of `memory=256,cpu=0.5`; absent parts have their defaults. */
const pluginBudgetOf = (text: string): PluginBudget => {
  const given = new Map(elementsOf(text).map((part) => part.split("=") as [string, string]))
  const part = (name: string, fallback: number) => Number(given.get(name) ?? fallback)
  return {
    memoryMib: part("memory", defaultPluginBudget.memoryMib),
    cpuCores: part("cpu", defaultPluginBudget.cpuCores),
    diskMib: part("disk", defaultPluginBudget.diskMib),
    diskFreeMib: part("free", defaultPluginBudget.diskFreeMib),
    messagesPerS: part("messages", defaultPluginBudget.messagesPerS),
  }
}

export const homeSettingsOf = (v: typeof HomeVariables.Type): HomeSettings => ({
  port: v.WAVEPOSE_HOME_PORT,
  tokens: v.WAVEPOSE_HOME_TOKENS === undefined
    ? []
    : elementsOf(Redacted.value(v.WAVEPOSE_HOME_TOKENS)).map((token) => Redacted.make(token)),
  development: v.WAVEPOSE_HOME_DEV === "1",
  origins: v.WAVEPOSE_HOME_CORS_ORIGINS === undefined ? null : originsOf(v.WAVEPOSE_HOME_CORS_ORIGINS),
  name: v.WAVEPOSE_HOME_NAME,
  config: v.WAVEPOSE_HOME_CONFIG ?? null,
  plugins: v.WAVEPOSE_PLUGINS ?? null,
  pluginBudget: pluginBudgetOf(v.WAVEPOSE_PLUGIN_BUDGET),
})

/** The folder of the user's plugins. */
export const pluginFolder = (
  { dataDirectory, home }: { readonly dataDirectory: string; readonly home: HomeSettings },
): string => resolve(home.plugins ?? join(dataDirectory, "plugins"))
