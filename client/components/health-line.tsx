import { withBasePath } from '@hull/shell/client'
import { useEffect, useState } from 'react'

const STATES = {
  ready: ['good', 'Ready to serve pages'],
  waiting: ['warn', 'Not ready: it is starting or draining'],
  silent: ['bad', 'No answer: the server is down or out of reach']
} as const

/** Milliseconds between two requests of /readyz. A hidden page sends none. */
const INTERVAL = 10_000

/** Whether the server is ready: true when it rendered the page, then updated in the browser. */
export function HealthLine() {
  const [state, setState] = useState<keyof typeof STATES>('ready')

  useEffect(() => {
    const look = async () => {
      if (document.hidden) return
      const answer = await fetch(withBasePath('/readyz'), { cache: 'no-store' }).catch(() => undefined)
      setState(!answer ? 'silent' : answer.status === 503 ? 'waiting' : 'ready')
    }
    const timer = setInterval(look, INTERVAL)
    return () => clearInterval(timer)
  }, [])

  const [kind, words] = STATES[state]
  return (
    <p className={`small state state-${kind}`} role="status">
      {words}
    </p>
  )
}
