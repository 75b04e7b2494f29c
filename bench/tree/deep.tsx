import type { ReactNode } from 'react'

export const deepTitle = 'Replies'

/** Levels below the first reply. Each reply has two replies: 511 in total. */
const LEVELS = 8

/** A tree of many small components, most of which render one element. */
export function Deep() {
  return (
    <main className="deep">
      <h1>{deepTitle}</h1>
      <Replies>
        <Reply path="1" levels={LEVELS} />
      </Replies>
    </main>
  )
}

function Reply({ path, levels }: { path: string; levels: number }) {
  return (
    <li>
      <Author name={`Author ${path.length}`} />
      <Text>{`Reply ${path}`}</Text>
      {levels > 0 && (
        <Replies>
          <Reply path={`${path}1`} levels={levels - 1} />
          <Reply path={`${path}2`} levels={levels - 1} />
        </Replies>
      )}
    </li>
  )
}

function Replies({ children }: { children: ReactNode }) {
  return <ul>{children}</ul>
}

function Author({ name }: { name: string }) {
  return <Badge>{name}</Badge>
}

function Badge({ children }: { children: ReactNode }) {
  return <b className="badge">{children}</b>
}

function Text({ children }: { children: ReactNode }) {
  return <span>{children}</span>
}
