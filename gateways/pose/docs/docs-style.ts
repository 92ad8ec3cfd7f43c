/**
 * The style sheet of the documentation page: system fonts, in light and dark colours.
 */
export const styleSheet = `:root { color-scheme: light dark; --line: #8884; --quiet: #6b7280; --accent: #0b6bcb; }
@media (prefers-color-scheme: dark) { :root { --quiet: #9ca3af; --accent: #6cb6ff; } }
body { font: 1rem/1.55 system-ui, sans-serif; margin: 0 auto; max-width: 64rem; padding: 1.5rem 1rem 4rem; }
h1 { margin: 0; } h2 { border-bottom: 1px solid var(--line); margin-top: 2.5rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .5rem; }
a { color: var(--accent); }
.skip { left: -100vw; position: absolute; } .skip:focus { left: 1rem; }
nav ul { columns: 18rem; list-style: none; padding: 0; } nav li { padding: .1rem 0; break-inside: avoid; }
code { font: .92em ui-monospace, monospace; overflow-wrap: anywhere; }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .5rem 0; padding: 0 1rem; }
details > summary { cursor: pointer; margin: 0 -1rem; padding: .6rem 1rem; }
details[open] > summary { border-bottom: 1px solid var(--line); }
details details { border-style: dashed; }
.method { display: inline-block; font-weight: 700; min-width: 4.5em; }
pre { background: #8881; border-radius: .4rem; overflow-x: auto; padding: .75rem; }
.try label { display: block; margin: .35rem 0; } .try textarea { font: .92em ui-monospace, monospace; width: 100%; }
.try output { display: block; font: .92em ui-monospace, monospace; overflow-wrap: anywhere; white-space: pre-wrap; }
.quiet { color: var(--quiet); }
.table { overflow-x: auto; }
table { border-collapse: collapse; margin: .5rem 0 1rem; min-width: 100%; }
th, td { border-top: 1px solid var(--line); padding: .35rem .75rem .35rem 0; text-align: left; vertical-align: top; }
thead th { border-top: 0; color: var(--quiet); font-weight: 600; }
tbody th { font-weight: 400; }
`
