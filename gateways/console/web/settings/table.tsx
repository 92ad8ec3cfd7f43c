/** A table of texts that scrolls within its panel. */
export const Table = ({ caption, head, rows }: {
  readonly caption: string
  readonly head: ReadonlyArray<string>
  /** The first cell of a row is its heading. */
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}) => (
  <div class="table" role="region" aria-label={caption} tabIndex={0}>
    <table>
      <caption class="unseen">{caption}</caption>
      {head.some((title) => title !== "") && (
        <thead>
          <tr>
            {head.map((title, index) => title === "" ? <td key={index} /> : <th key={index} scope="col">{title}</th>)}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map(([name, ...others], index) => (
          <tr key={index}>
            <th scope="row">{name}</th>
            {others.map((text, index) => <td key={index}>{text}</td>)}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
