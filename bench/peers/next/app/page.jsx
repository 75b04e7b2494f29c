import Link from 'next/link'
import { Home, homeTitle } from '#tree/home.tsx'

export const dynamic = 'force-dynamic'

export const metadata = { title: homeTitle }

export default function HomePage () {
  return <Home greeting="Welcome aboard" Link={Link} />
}
