import type { ReactNode } from 'react'

export interface Fact {
  term: string
  value: ReactNode
  /** More than fits, on hover. */
  title?: string
}

/** A strip of figures. */
export function Facts({ facts }: { facts: Fact[] }) {
  return (
    <dl className="facts">
      {facts.map(({ term, value, title }) => (
        <div key={term} title={title}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
