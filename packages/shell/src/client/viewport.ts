import { prefetch } from './navigate.ts'

/** Distance below the fold at which a link counts as in view. A guess: a flick of the wheel. */
const MARGIN = '200px'

let observer: IntersectionObserver | undefined

/** Ref of a link that is prefetched when it comes into view. */
export function watchLink(link: HTMLAnchorElement | null): (() => void) | undefined {
  if (!link) return undefined
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue
        observer!.unobserve(target)
        prefetch((target as HTMLAnchorElement).href)
      }
    },
    { rootMargin: MARGIN }
  )
  observer.observe(link)
  return () => observer!.unobserve(link)
}
