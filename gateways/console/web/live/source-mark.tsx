/** The mark within a picture whose frames are not of a real room now. It is part of screenshots. */
type Source = "live" | "replay" | "simulated"

export const SourceMark = ({ source }: { readonly source: Source }) =>
  source === "live" ? null : <span class={`watermark watermark-${source}`} aria-hidden="true">{source}</span>
