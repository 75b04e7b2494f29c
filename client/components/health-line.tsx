import { useEffect, useState } from 'react'

const STATES = {
  ready: ['good', 'Ready to serve pages'],
  waiting: ['warn', 'Not ready: it is starting or draining'],
  silent: ['bad', 'No answer: the server is down or out of reach']
} as const

/** Milliseconds between two looks at /readyz; a hidden page does not look. */
const INTERVAL = 10_000

/** Whether the server is ready. It was when it rendered this; the browser keeps asking. */
export function HealthLine() {
  const [state, setState] = useState<keyof typeof STATES>('ready')

  useEffect(() => {
    const look = async () => {
      if (document.hidden) return
      const answer = await fetch('/readyz', { cache: 'no-store' }).catch(() => undefined)
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
