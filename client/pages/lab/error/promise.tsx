import { useState } from 'react'
import { LabPage } from '../../../components/lab/lab-page.tsx'

export const layout = 'lab'

export const getMeta = () => ({ title: 'Rejected promise · Lab', robots: 'noindex' })

export default function RejectedPromisePage() {
  const [rejected, setRejected] = useState(0)

  function handleClick() {
    setRejected(rejected + 1)
    void Promise.reject(new Error('lab/error/promise was asked for: nobody handles this rejection'))
  }

  return (
    <LabPage
      title="A rejected promise"
      expect="Nobody handles the rejection, the browser’s console has it, and the page goes on."
    >
      <p className="row">
        <button className="button" type="button" onClick={handleClick}>
          Reject
        </button>
        <output className="quiet">{`rejected ${rejected} ${rejected === 1 ? 'time' : 'times'}`}</output>
      </p>
    </LabPage>
  )
}
