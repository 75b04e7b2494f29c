import type { ContenderName } from './options.ts'

/** Colour of each contender on a light and on a dark page. */
const COLOURS: Record<ContenderName, [light: string, dark: string]> = {
  floor: ['#57606a', '#8b949e'],
  hull: ['#0550ae', '#79c0ff'],
  'hull-no-inbox': ['#1b7f8c', '#56d4dd'],
  stock: ['#8250df', '#d2a8ff'],
  tanstack: ['#9a6700', '#e3b341'],
  'react-router': ['#bf3989', '#ff9bce'],
  next: ['#1f2328', '#f0f6fc'],
  'next-sentry': ['#cf222e', '#ff7b72']
}

/**
 * Creates the style of a drawing, which follows the reader's colour scheme; `.tick` and `.one` are lines of an axis.
 */
export function createStyle(names: ContenderName[]): string {
  const colour = (scheme: 0 | 1) =>
    names
      .map(
        (name) =>
          `.${name} circle{fill:${COLOURS[name][scheme]}}.${name} :is(line,polyline){stroke:${COLOURS[name][scheme]}}`
      )
      .join('')
  return (
    `text{font:13px system-ui,sans-serif;fill:#1f2328}.head{font-weight:600}line,polyline{stroke-width:2;fill:none}` +
    `.tick,.one{stroke:#d0d7de;stroke-width:1}.one{stroke:#57606a}${colour(0)}` +
    `@media(prefers-color-scheme:dark){text{fill:#e6edf3}.tick{stroke:#30363d}.one{stroke:#8b949e}${colour(1)}}`
  )
}
