import { useState } from 'react'
import type { LayoutProps } from '#shell'

export const layout = 'lab'

/** Two pages stand in this one; what is counted and typed here belongs to neither. */
export default function NotebookLayout ({ children }: LayoutProps) {
  const [count, setCount] = useState(0)
  const [note, setNote] = useState('')
  return (
    <div className='stack'>
      {children}
      <section className='lab-notebook' aria-labelledby='notebook'>
        <h2 id='notebook'>The layout they share</h2>
        <div className='row'>
          <button className='button' type='button' onClick={() => setCount(count + 1)}>Count</button>
          <output className='lab-count'>{count}</output>
        </div>
        <div className='field'>
          <label htmlFor='note'>Note</label>
          <input className='input' id='note' value={note} onChange={(event) => setNote(event.target.value)} autoComplete='off' />
        </div>
      </section>
      <nav className='row' aria-label='Pages of this layout'>
        <a href='/lab/layout/a'>Page A</a>
        <a href='/lab/layout/b'>Page B</a>
      </nav>
    </div>
  )
}
