import type { ReactNode } from 'react'

export interface DescriptionItem {
  term: string
  value: ReactNode
  /** More than fits, on hover. */
  title?: string
}

/** A strip of figures. */
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
