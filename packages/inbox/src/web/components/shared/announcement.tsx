import { useEffect, useState } from 'react'

/** Milliseconds for which the text is in the document. A guess: enough for a screen reader to read it. */
const ANNOUNCED_TIME = 5_000

/**
 * Reads a text to screen readers when something appears. A text that changes meanwhile is not read again: a number that
 * grows each second would be read each second. Then the text is removed, so that nobody finds the old number.
 * @param props.text undefined while there is nothing
 */
export function Announcement({ text }: { text: string | undefined }) {
  const hasText = text !== undefined
  const [last, setLast] = useState({ hasText, said: text })
  if (hasText !== last.hasText) setLast({ hasText, said: text })
  const { said } = last

  useEffect(() => {
    if (said === undefined) return
    const timer = setTimeout(() => setLast({ hasText: true, said: undefined }), ANNOUNCED_TIME)
    return () => clearTimeout(timer)
  }, [said])

  return (
    <span className="visually-hidden" role="status">
      {said}
    </span>
  )
}
