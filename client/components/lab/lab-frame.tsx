import type { ReactNode } from 'react'
import './lab.css'

interface LabFrameProps {
  /** The list needs no way back to itself. */
  isList?: boolean
  children: ReactNode
}

export function LabFrame({ isList = false, children }: LabFrameProps) {
  return (
    <div className="lab">
      {!isList && (
        <nav className="lab-back" aria-label="Lab">
          <a href="/lab">Back to the list</a>
        </nav>
      )}
      {children}
    </div>
  )
}
