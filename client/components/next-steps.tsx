import type { ReactNode } from 'react'

const PAGE = `// client/pages/about.tsx
export default function AboutPage() {
  return <h1>About</h1>
}`

/** First steps after cloning the repository. */
export function AddPageStep() {
  return (
    <NextStep
      title="Add a page"
      sample={
        <pre className="sample">
          <code>{PAGE}</code>
        </pre>
      }
    >
      A file in <code>client/pages/</code> is an address. This one is <code>/about</code>.
    </NextStep>
  )
}

interface NextStepProps {
  title: string
  /** Target of the title's link. @default no link */
  href?: string
  /** Code or links next to the text. */
  sample?: ReactNode
  children: ReactNode
}

/** An entry in a list of next steps. */
export function NextStep({ title, href, sample, children }: NextStepProps) {
  return (
    <li>
      <div>
        <h3>{href === undefined ? title : <a href={href}>{title}</a>}</h3>
        <p className="small quiet">{children}</p>
      </div>
      {sample}
    </li>
  )
}

export function LinkSample({ links }: { links: ReadonlyArray<readonly [href: string, what: string]> }) {
  return (
    <ul className="sample link-sample">
      {links.map(([href, what]) => (
        <li key={href}>
          <a href={href}>
            <code>{href}</code>
          </a>
          <span>{what}</span>
        </li>
      ))}
    </ul>
  )
}
