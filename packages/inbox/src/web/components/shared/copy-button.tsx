import { useEffect, useState, type ReactNode } from 'react'

interface CopyButtonProps {
  /**
   * Text to copy, or a function that returns it. May be a promise, since the browser allows copying only during the
   * click.
   */
  text: string | (() => Promise<string>)
  children: ReactNode
  className?: string
}

/** Milliseconds to show "Copied". */
const SHOWN = 2_000

/** Button that copies text. Not rendered without script; the text is also on the page or behind a link. */
export function CopyButton({ text, children, className = 'button' }: CopyButtonProps) {
  const [result, setResult] = useState<'Copied' | 'Not copied'>()
  useEffect(() => {
    if (!result) return
    const timer = setTimeout(() => setResult(undefined), SHOWN)
    return () => clearTimeout(timer)
  }, [result])

  const copy = () => {
    write(text).then(
      () => setResult('Copied'),
      () => setResult('Not copied')
    )
  }
  return (
    <>
      <button type="button" className={`${className} needs-script`} onClick={copy}>
        {result && <span aria-hidden="true">{result}</span>}
        {/* The name of the button stays: a screen reader reads a new one of the focused button, and the status too. */}
        <span className={result && 'visually-hidden'}>{children}</span>
      </button>
      <span className="visually-hidden" role="status">
        {result}
      </span>
    </>
  )
}

/** Safari accepts text from a promise only as a ClipboardItem. */
async function write(text: CopyButtonProps['text']): Promise<void> {
  if (typeof text === 'string') return navigator.clipboard.writeText(text)
  const blob = text().then((whole) => new Blob([whole], { type: 'text/plain' }))
  await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })])
}
