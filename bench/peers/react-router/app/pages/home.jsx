import { Home, homeTitle } from '#tree/home.tsx'
import { Link } from '../link.jsx'

export const loader = () => ({ greeting: 'Welcome aboard' })

export const meta = () => [{ title: homeTitle }]

export default function HomePage ({ loaderData }) {
  return <Home greeting={loaderData.greeting} Link={Link} />
}
