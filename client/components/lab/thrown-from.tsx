import { LabPage } from './lab-page.tsx'

/** Content of the page if the query names no place to refuse in. */
export function ThrownFrom({ title, path }: { title: string; path: string }) {
  return (
    <LabPage title={title} expect="Nothing was thrown: the query names no place to throw from.">
      <p className="row">
        <a href={path}>In the guard</a>
        <a href={`${path}?in=data`}>In getData</a>
        <a href={`${path}?in=component`}>While rendering</a>
      </p>
    </LabPage>
  )
}
