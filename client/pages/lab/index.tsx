import { CATALOGUE, type Behaviour } from '../../components/lab/catalogue.ts'

export const layout = 'lab'

export const getMeta = () => ({
  title: 'Lab',
  description: 'One page for each behaviour of the shell.',
  robots: 'noindex'
})

export default function LabListPage() {
  return (
    <div className="stack">
      <header className="stack stack-close">
        <h1>Lab</h1>
        <p className="lead">One page for each behaviour. Each entry describes what should happen.</p>
      </header>
      <div className="lab-list fill">
        {CATALOGUE.map(({ title, behaviours }) => (
          <section key={title}>
            <h2>{title}</h2>
            <ul>
              {behaviours.map((behaviour) => (
                <BehaviourRow key={behaviour.href} {...behaviour} />
              ))}
            </ul>
          </section>
        ))}
      </div>
    </div>
  )
}

function BehaviourRow({ href, does, also }: Behaviour) {
  return (
    <li>
      <a href={href}>
        <code>{href}</code>
      </a>
      <p>
        {does}
        {also?.map(([to, label]) => (
          <a key={to} className="lab-also" href={to}>
            {label}
          </a>
        ))}
      </p>
    </li>
  )
}
