import type { LayoutProps } from '@hull/shell/client'
import { HomeLink } from '../components/frame/home-link.tsx'
import '../styles/inbox.css'

/** Layout of the pages for people who are not signed in: sign-in, sign-out, invitations and unsubscribing. */
export default function SignedOutLayout({ children }: LayoutProps) {
  return (
    <div className="frame inbox">
      <div className="frame-edge">
        <header className="frame-bar">
          <HomeLink />
        </header>
      </div>
      <main className="frame-main" id="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}
