import { useState } from 'react'
import { Link } from '#shell'
import { useNews } from './live.ts'

interface NewEventsProps {
  issue: number
  /** The event that is shown was the newest. */
  newest: boolean
  href: string
}

/** Says that events came in since the page was shown. What is being read stays until somebody asks. */
export function NewEvents({ issue, newest, href }: NewEventsProps) {
  const [isTold, setIsTold] = useState(false)
  useNews(({ issues }) => {
    if (issues.includes(issue)) setIsTold(true)
  })
  return (
    <p className="arrived" role="status">
      {isTold && (
        <Link className="button" href={href} keepScroll onClick={() => setIsTold(false)}>
          {newest ? 'A newer event came: show it' : 'New events came: show the newest'}
        </Link>
      )}
    </p>
  )
}
