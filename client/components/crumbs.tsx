/** Breadcrumbs; the last step is the page itself. */
export function Crumbs({ steps }: { steps: Array<{ href: string; label: string }> }) {
  return (
    <nav className="crumbs" aria-label="Breadcrumb">
      <ol>
        {steps.map(({ href, label }, i) => (
          <li key={href}>
            {i === steps.length - 1 ? <span aria-current="page">{label}</span> : <a href={href}>{label}</a>}
          </li>
        ))}
      </ol>
    </nav>
  )
}
