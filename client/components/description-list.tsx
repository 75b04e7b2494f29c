import type { ReactNode } from 'react'

export interface DescriptionItem {
  term: string
  value: ReactNode
  /** Full text, shown on hover. */
  title?: string
}

/** A row of labelled values. */
export function DescriptionList({ items }: { items: DescriptionItem[] }) {
  return (
    <dl className="facts">
      {items.map(({ term, value, title }) => (
        <div key={term} title={title}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
