import { Link, type Meta, type PageProps } from '@hull/shell/client'
import { Home, homeTitle } from '../../tree/home.tsx'

export function getData() {
  return { greeting: 'Welcome aboard' }
}

export const getMeta = (): Meta => ({ title: homeTitle })

export default function HomePage({ data }: PageProps<typeof getData>) {
  return <Home greeting={data.greeting} Link={Link} />
}
