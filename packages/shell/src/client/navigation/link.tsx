import { useEffect, useImperativeHandle, useRef, type ComponentProps } from 'react'
import type { Href } from '@hull/common/href.ts'
import { type NavigateOptions, prefetch } from './navigate.ts'

export interface LinkProps extends ComponentProps<'a'>, NavigateOptions {
  href: Href
  /**
   * When to fetch the page's chunk, stylesheet and data before the click: when the visitor points at the link, when the
   * link scrolls into view, or never.
   * @default 'intent'
   */
  prefetch?: 'intent' | 'viewport' | 'none'
  /**
   * Shows the page as a view transition if the browser supports them and the visitor does not prefer reduced motion.
   * The page appears some frames later than without.
   * @default false
   */
  transition?: boolean
}

/**
 * A link with options for prefetching and navigation. A plain `<a>` also works, because the shell handles every click
 * in the document.
 */
export function Link(props: LinkProps) {
  if (props.prefetch === 'viewport') return <ViewportLink {...props} />
  return <a {...(hasOptions(props) ? toAttributes(props) : props)}>{props.children}</a>
}

function ViewportLink({ ref, ...props }: LinkProps) {
  const link = useRef<HTMLAnchorElement>(null)
  useImperativeHandle(ref, () => link.current!)
  // Also for a new address: another query of the same page keeps the element.
  useEffect(() => watchLink(link.current!), [props.href])
  return (
    <a {...toAttributes(props)} ref={link}>
      {props.children}
    </a>
  )
}

/** False for most links, so that their properties are not sorted into options and attributes. */
const hasOptions = (props: LinkProps): boolean =>
  'prefetch' in props || 'replace' in props || 'keepScroll' in props || 'transition' in props

function toAttributes({ prefetch = 'intent', replace, keepScroll, transition, ...attributes }: LinkProps) {
  return {
    ...attributes,
    'data-prefetch': prefetch === 'intent' ? undefined : prefetch,
    'data-replace': replace || undefined,
    'data-keep-scroll': keepScroll || undefined,
    'data-transition': transition || undefined
  }
}

export interface FormProps extends ComponentProps<'form'>, NavigateOptions {}

/**
 * A form with options for navigation. The shell sends it like every `<form>` in the document: GET navigates to the
 * address with the fields, POST runs the page's `action`.
 */
export function Form({ replace, keepScroll, ...props }: FormProps) {
  return <form {...props} data-replace={replace || undefined} data-keep-scroll={keepScroll || undefined} />
}

/** Distance below the visible area at which a link counts as visible. A guess: one turn of the wheel. */
const MARGIN = '200px'

let observer: IntersectionObserver | undefined

/** Prefetches the page of a link when the link becomes visible. */
function watchLink(link: HTMLAnchorElement): () => void {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue
        observer!.unobserve(target)
        prefetch((target as HTMLAnchorElement).href as Href)
      }
    },
    { rootMargin: MARGIN }
  )
  observer.observe(link)
  return () => observer!.unobserve(link)
}
