import { hydrateRoot } from 'react-dom/client'
import { createPage } from './pages.tsx'

const payload = JSON.parse(document.getElementById('payload')!.textContent!)
hydrateRoot(document.getElementById('root')!, createPage(payload))
