export const layout = 'inbox'

export const getMeta = () => ({ title: 'Overview · Inbox', robots: 'noindex' })

export default function OverviewPage() {
  return <h1>Overview</h1>
}
