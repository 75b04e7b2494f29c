import { Mark } from './mark.tsx'

/** Name in the bar of every page. */
export const HomeLink = () => (
  <a className="frame-name" href="/">
    <Mark />
    Hull
  </a>
)
