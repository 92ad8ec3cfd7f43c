/**
 * Renders templates on the home of this node, once or again with each change of what they read.
 *
 * Invariants: a watched template is rendered at once when an entity that it names changes, at most once a second when it reads a whole domain or
 * all entities, and every minute when it reads the time. The registries are those of the first rendering.
 */
import { Clock, Effect } from "effect"
import { type BusEntry, domainOf, type StateChange } from "../../../protocols/domain/home.ts"
import { HomeRegistries } from "../../../protocols/ports/home-registries.ts"
import { HomeRuntime, type Replica } from "../../../protocols/ports/home-runtime.ts"
import type { After } from "../server/after.ts"
import type { Listeners } from "./home-states.ts"
import { noRegistries, type RegistryLists } from "./places.ts"
import { readsRegistries, type Rendering, renderTemplate, type TemplateOrder } from "./render.ts"

const minuteMs = 60_000
/** The least interval between renderings of a template that reads many entities. */
const wideIntervalMs = 1_000

/** The entries of all registries. */
export const allRegistries = Effect.flatMap(HomeRegistries, ({ list }) =>
  Effect.all({
    entity: list("entity"),
    device: list("device"),
    area: list("area"),
    floor: list("floor"),
    label: list("label"),
  }))

/** The registries, if the template may ask for them. */
const registriesFor = (source: string) =>
  readsRegistries(source) ? allRegistries : Effect.succeed<RegistryLists>(noRegistries)

/** Renders on the states of now. */
export interface Renderer {
  readonly render: (order: TemplateOrder) => Rendering
  readonly nowMs: () => number
  readonly listen: Replica["listen"]
}

/** A renderer for these templates. */
export const rendererFor = Effect.fnUntraced(function* (sources: ReadonlyArray<string>) {
  const replica = yield* (yield* HomeRuntime).replica
  const registries = yield* registriesFor(sources.join("\n"))
  const clock = yield* Clock.Clock
  const nowUs = () => Number(clock.currentTimeNanosUnsafe() / 1000n)
  return {
    render: (order) => renderTemplate({ states: replica, registries, nowUs: nowUs() }, order),
    nowMs: () => clock.currentTimeMillisUnsafe(),
    listen: (listener) => replica.listen(listener),
  } satisfies Renderer
})

const changeOf = (entry: BusEntry, { all, domains, entities }: Listeners): "named" | "wide" | null => {
  if (entry.kind !== "changed") return null
  if (entities.has(entry.entityId)) return "named"
  return all || domains.has(domainOf(entry.entityId)) ? "wide" : null
}

/**
 * Renders now and with each change. Returns a function that ends it.
 *
 * @param take is called with each rendering, and the change that caused it; null: the first one, or the time
 */
export const watchTemplate = (
  { listen, nowMs, render }: Renderer,
  order: TemplateOrder,
  after: After,
  take: (rendering: Rendering, change: StateChange | null) => void,
): () => void => {
  let last = render(order)
  let wideAtMs = nowMs()
  let stopWide: (() => void) | null = null
  let stopMinute = () => {}

  const again = (change: StateChange | null) => {
    last = render(order)
    take(last, change)
    watchTime()
  }
  const watchTime = () => {
    stopMinute()
    if (last.listeners.time) stopMinute = after(minuteMs - nowMs() % minuteMs, () => again(null))
  }
  const soon = (change: StateChange) => {
    if (stopWide !== null) return
    const waitMs = Math.max(0, wideAtMs + wideIntervalMs - nowMs())
    const run = () => {
      stopWide = null
      wideAtMs = nowMs()
      again(change)
    }
    if (waitMs === 0) run()
    else stopWide = after(waitMs, run)
  }

  take(last, null)
  watchTime()
  const stop = listen((entries) => {
    for (const entry of entries) {
      const reach = changeOf(entry, last.listeners)
      if (reach === "named") again(entry as StateChange)
      else if (reach === "wide") soon(entry as StateChange)
    }
  })
  return () => {
    stop()
    stopMinute()
    stopWide?.()
  }
}
