export const dynamic = 'force-dynamic'

export default function HomePage () {
  return <main><h1>A tunnel</h1></main>
}
