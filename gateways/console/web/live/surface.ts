/**
 * A canvas that is drawn once per picture of the display while it can be seen, sharp on any display, with the page's colours. The style
 * sheet registers these as colours, so a computed value is one that a canvas understands.
 */
import { useEffect, useRef } from "preact/hooks"

export interface Brush {
  readonly context: CanvasRenderingContext2D
  readonly width: number
  readonly height: number
  readonly nowMs: number
  /** A colour of the page: the value of a custom property, for example `--ink`. */
  readonly colour: (name: string) => string
}

const colourNames = [
  "--ink",
  "--ink-soft",
  "--line",
  "--accent",
  "--surface",
  "--warn",
  "--present",
  "--absent",
  "--replay",
  "--walking",
  "--standing",
  "--sitting",
  "--lying",
  "--falling",
  "--unknown",
] as const

const readColours = (canvas: HTMLCanvasElement): ReadonlyMap<string, string> => {
  const style = getComputedStyle(canvas)
  return new Map(colourNames.map((name) => [name, style.getPropertyValue(name).trim()]))
}

/** Draws on a canvas until it is removed. `draw` is called with the size in CSS pixels. */
const animate = (canvas: HTMLCanvasElement, draw: (brush: Brush) => void, isDue: () => boolean): () => void => {
  const context = canvas.getContext("2d")!
  let [width, height, request, visible, isStale] = [0, 0, 0, true, true]
  let colours = readColours(canvas)
  const resize = new ResizeObserver(([entry]) => {
    const { height: high, width: wide } = entry!.contentRect
    const ratio = Math.min(3, devicePixelRatio)
    ;[width, height] = [wide, high]
    canvas.width = Math.round(wide * ratio)
    canvas.height = Math.round(high * ratio)
    isStale = true
  })
  const seen = new IntersectionObserver(([entry]) => {
    visible = entry!.isIntersecting
  })
  const scheme = matchMedia("(prefers-color-scheme: dark)")
  const recolour = () => {
    colours = readColours(canvas)
    isStale = true
  }
  scheme.addEventListener("change", recolour)
  resize.observe(canvas)
  seen.observe(canvas)
  const step = (nowMs: number): void => {
    request = requestAnimationFrame(step)
    if (!visible || width === 0 || !(isDue() || isStale)) return
    isStale = false
    const ratio = canvas.width / width
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.clearRect(0, 0, width, height)
    draw({ context, width, height, nowMs, colour: (name) => colours.get(name) ?? "" })
  }
  request = requestAnimationFrame(step)
  return () => {
    cancelAnimationFrame(request)
    resize.disconnect()
    seen.disconnect()
    scheme.removeEventListener("change", recolour)
  }
}

/**
 * A reference for a `<canvas>` that `draw` paints. The newest `draw` is used without starting again.
 *
 * @param isStill the picture changes only with the component, its size and its colours
 */
export const useSurface = (draw: (brush: Brush) => void, { isStill = false }: { readonly isStill?: boolean } = {}) => {
  const canvas = useRef<HTMLCanvasElement>(null)
  const current = useRef(draw)
  const isNew = useRef(true)
  current.current = draw
  isNew.current = true
  useEffect(() => {
    const paint = (brush: Brush): void => {
      isNew.current = false
      current.current(brush)
    }
    return animate(canvas.current!, paint, () => !isStill || isNew.current)
  }, [])
  return canvas
}
