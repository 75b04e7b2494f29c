import { useState } from 'react'
import { LabPage } from '../../../components/lab/lab-page.tsx'

export const layout = 'lab'

export const getMeta = () => ({ title: 'Error in a handler · Lab', robots: 'noindex' })

export default function ErrorInHandlerPage() {
  const [thrown, setThrown] = useState(0)

  function handleClick() {
    setThrown(thrown + 1)
    throw new Error('lab/error/click was asked for: the handler throws')
  }

  return (
    <LabPage
      title="An error in a handler"
      expect="The handler throws, the browser’s console has it, and the page goes on."
    >
      <p className="row">
        <button className="button" type="button" onClick={handleClick}>
          Throw
        </button>
        <output className="quiet">{`thrown ${thrown} ${thrown === 1 ? 'time' : 'times'}`}</output>
      </p>
    </LabPage>
  )
}
