import { createFileRoute } from '@tanstack/react-router'
import { createServerFn } from '@tanstack/react-start'
import { Home, homeTitle } from '#tree/home.tsx'
import { Link } from '../link'

const load = createServerFn().handler(() => ({ greeting: 'Welcome aboard' }))

export const Route = createFileRoute('/')({
  loader: () => load(),
  head: () => ({ meta: [{ title: homeTitle }] }),
  component: HomePage
})

function HomePage () {
  return <Home greeting={Route.useLoaderData().greeting} Link={Link} />
}
