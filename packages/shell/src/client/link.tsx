import type { ComponentProps } from 'react'
import { type NavigateOptions, prefetch } from './navigate.ts'

export interface LinkProps extends Omit<ComponentProps<'a'>, 'ref'>, NavigateOptions {
  href: string
  /**
   * When the page's chunk, stylesheet and data are fetched before the click: when the visitor points at the link, when
   * it comes into view, or never.
   * @default 'intent'
   */
  prefetch?: 'intent' | 'viewport' | 'none'
  /**
   * Shows the page as a view transition, where the browser has them and the visitor has not asked for less motion. It is
   * pretty, and some frames later than without.
   * @default false
   */
  transition?: boolean
}

/**
 * A link. It is an `<a>`, and an `<a>` is all it takes: the shell listens to every click in the document. This one says
 * how to prefetch and how to move.
 */
export function Link({ prefetch = 'intent', replace, keepScroll, transition, children, ...props }: LinkProps) {
  return (
    <a
      {...props}
      ref={prefetch === 'viewport' ? watchLink : undefined}
      data-prefetch={prefetch === 'intent' ? undefined : prefetch}
      data-replace={replace || undefined}
      data-keep-scroll={keepScroll || undefined}
      data-transition={transition || undefined}
    >
      {children}
    </a>
  )
}

export interface FormProps extends ComponentProps<'form'>, NavigateOptions {}

/**
 * A form, sent by the shell as every `<form>` in the document is: by GET it leads to the address its fields make, by
 * POST to the page's `action`. This one says how to move.
 */
export function Form({ replace, keepScroll, ...props }: FormProps) {
  return <form {...props} data-replace={replace || undefined} data-keep-scroll={keepScroll || undefined} />
}

/** Distance below the fold at which a link counts as in view. A guess: a flick of the wheel. */
const MARGIN = '200px'

let observer: IntersectionObserver | undefined

/** Ref of a link that is prefetched when it comes into view. */
function watchLink(link: HTMLAnchorElement | null): (() => void) | undefined {
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
