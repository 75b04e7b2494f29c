import type { ReactNode } from 'react'
import './lab.css'

interface LabFrameProps {
  /** The list itself needs no link back. */
  isList?: boolean
  /** Errors of these pages can be read in the inbox. */
  inbox?: boolean
  children: ReactNode
}

export function LabFrame({ isList = false, inbox = false, children }: LabFrameProps) {
  return (
    <div className="lab">
      {(!isList || inbox) && (
        <nav className="lab-back row" aria-label="Lab">
          {!isList && <a href="/lab">Back to the list</a>}
          {inbox && <a href="/inbox/issues">Errors in the inbox</a>}
        </nav>
      )}
      {children}
    </div>
  )
}
