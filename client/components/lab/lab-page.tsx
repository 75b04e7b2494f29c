import type { ReactNode } from 'react'

interface LabPageProps {
  title: string
  /** Expected result, as a sentence. */
  expect: ReactNode
  children?: ReactNode
}

export function LabPage({ title, expect, children }: LabPageProps) {
  return (
    <article className="stack">
      <header className="stack stack-close">
        <h1>{title}</h1>
        <p className="lead">{expect}</p>
      </header>
      {children}
    </article>
  )
}
