import { useRouteContext } from '@fastify/react/client'
import { Home, homeTitle } from '#tree/home.tsx'
import { Link } from '../link.jsx'

export function getData () {
  return { greeting: 'Welcome aboard' }
}

export function getMeta () {
  return { title: homeTitle }
}

export default function HomePage () {
  const { data } = useRouteContext()
  return <Home greeting={data.greeting} Link={Link} />
}
