import { useState } from 'react'
import type { Ctx, PageProps } from '@hull/shell/client'

/** Runs on the server; the component gets what it returns. */
export function getData({ search }: Ctx) {
  return { start: Number(search.get('start') ?? 0) }
}

export const getMeta = () => ({ title: 'Counter' })

export default function CounterPage({ data }: PageProps<typeof getData>) {
  const [count, setCount] = useState(data.start)
  return (
    <section className="stack">
      <h1>Counter</h1>
      <p>
        <button type="button" className="button" onClick={() => setCount(count + 1)}>
          {count}
        </button>
      </p>
    </section>
  )
}
