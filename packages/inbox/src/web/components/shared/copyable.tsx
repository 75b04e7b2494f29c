import { CopyButton } from './copy-button.tsx'

/** Text to copy: a click selects all of it, and a button copies it. */
export function Copyable({ text, label }: { text: string; label: string }) {
  return (
    <span className="copyable">
      <code>{text}</code>
      <CopyButton text={text}>
        Copy<span className="visually-hidden"> {label}</span>
      </CopyButton>
    </span>
  )
}
