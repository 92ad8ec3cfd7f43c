/** Bars over time or categories. A bar without a value is a gap with its own mark, and a table below says the same in words. */
import { scaleOf } from "./scale.ts"

interface Bar {
  readonly title: string
  /** Null: not known. */
  readonly value: number | null
}

const [height, bottom] = [170, 22]
/** Units of the picture, so that its text is readable in a small window too. */
const widthNow = (): number => matchMedia("(max-width: 640px)").matches ? 320 : 720
/** Labels below the bars that fit into this width do not touch. */
const labelWidth = 90

const shown = (value: number | null): string => value === null ? "not known" : value.toFixed(2).replace(/\.?0+$/, "")

export const BarChart = ({ bars, title, unit }: {
  readonly title: string
  readonly unit: string
  readonly bars: ReadonlyArray<Bar>
}) => {
  const { marks, max } = scaleOf(bars.map(({ value }) => value))
  const width = widthNow()
  const step = width / Math.max(1, bars.length)
  const labelled = Math.max(1, Math.ceil(bars.length * labelWidth / width))
  return (
    <figure class="chart">
      <figcaption>{`${title}, ${unit}`}</figcaption>
      <svg viewBox={`-44 -8 ${width + 48} ${height + bottom + 8}`} role="img" aria-label={`${title}, ${unit}`}>
        {marks.map(({ share, text }) => (
          <g key={share} class="scale">
            <line x1={0} x2={width} y1={height * (1 - share)} y2={height * (1 - share)} />
            <text x={-6} y={height * (1 - share) + 4} text-anchor="end">{text}</text>
          </g>
        ))}
        {bars.map(({ title, value }, index) => (
          <g key={index}>
            <title>{`${title}: ${shown(value)}`}</title>
            {value === null
              ? <rect class="gap" x={index * step} y={height - 5} width={Math.max(1, step - 2)} height={5} />
              : (
                <rect
                  class="bar"
                  x={index * step + 1}
                  y={height - height * value / max}
                  width={Math.max(1, step - 2)}
                  height={height * value / max}
                />
              )}
            {index % labelled === 0 && (
              <text class="label" x={index * step + step / 2} y={height + 16} text-anchor="middle">{title}</text>
            )}
          </g>
        ))}
      </svg>
      <details>
        <summary>As a table</summary>
        <div class="table" role="region" aria-label={title} tabIndex={0}>
          <table>
            <tbody>
              {bars.map(({ title, value }, index) => (
                <tr key={index}>
                  <th scope="row">{title}</th>
                  <td>{shown(value)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  )
}
