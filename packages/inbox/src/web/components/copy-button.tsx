import { useEffect, useState, type ReactNode } from 'react'

interface CopyButtonProps {
  /** What is copied, or where it comes from. A promise, so that the browser waits for it within the click. */
  text: string | (() => Promise<string>)
  children: ReactNode
  className?: string
}

/** Milliseconds for which it says that it has copied. */
const SAID = 2_000

/** Copies text. Without script it is not there: what it copies stands on the page, or behind a link beside it. */
export function CopyButton({ text, children, className = 'button' }: CopyButtonProps) {
  const [said, setSaid] = useState<'Copied' | 'Not copied'>()
  useEffect(() => {
    if (!said) return
    const timer = setTimeout(() => setSaid(undefined), SAID)
    return () => clearTimeout(timer)
  }, [said])

  const copy = () => {
    write(text).then(
      () => setSaid('Copied'),
      () => setSaid('Not copied')
    )
  }
  return (
    <>
      <button type="button" className={`${className} needs-script`} onClick={copy}>
        {said ?? children}
      </button>
      <span className="unshown" role="status">
        {said}
      </span>
    </>
  )
}

/** Safari takes text that is still on its way only as an item of the clipboard. */
async function write(text: CopyButtonProps['text']): Promise<void> {
  if (typeof text === 'string') return navigator.clipboard.writeText(text)
  const blob = text().then((whole) => new Blob([whole], { type: 'text/plain' }))
  await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })])
}
