import { hydrateRoot } from 'react-dom/client'
import { createPage, toTitle, type Payload } from './pages.tsx'

const payload: Payload = JSON.parse(document.getElementById('payload')!.textContent!)
const root = hydrateRoot(document.getElementById('root')!, createPage(payload))

let prefetched: { href: string; payload: Promise<Payload> } | undefined

document.addEventListener('mouseover', ({ target }) => {
  const link = findLink(target)
  if (link && link.href !== prefetched?.href) prefetched = { href: link.href, payload: load(link.pathname) }
})
document.addEventListener('click', (event) => {
  const link = findLink(event.target)
  if (!link || event.metaKey || event.ctrlKey) return
  event.preventDefault()
  const loading = link.href === prefetched?.href ? prefetched.payload : load(link.pathname)
  prefetched = undefined
  void show(loading, () => history.pushState(null, '', link.href))
})
addEventListener('popstate', () => void show(load(location.pathname)))

async function show(loading: Promise<Payload>, moveTo?: () => void) {
  const payload = await loading
  moveTo?.()
  document.title = toTitle(payload)
  root.render(createPage(payload))
}

async function load(path: string): Promise<Payload> {
  return (await fetch('/data' + path)).json()
}

function findLink(target: EventTarget | null): HTMLAnchorElement | undefined {
  const link = (target as Element).closest('a')
  return link?.origin === location.origin ? link : undefined
}
