import { type ElementType, type JSX, type Key } from 'react'
import { Fragment, jsx as createElement, jsxs as createElements } from 'react/jsx-runtime'
import { withBasePath } from './base-path.ts'

/* Replaces react/jsx-runtime in a build with a base path, so that a plain <a href="/cart"> needs no change. */

/** Attributes of HTML elements that are addresses. */
const ADDRESSES = ['href', 'src', 'action', 'formAction', 'poster'] as const

type Props = Record<string, unknown>

export { Fragment }
export type { JSX }

export const jsx = (type: ElementType, props: Props, key?: Key) => createElement(type, toPrefixed(type, props), key)
export const jsxs = (type: ElementType, props: Props, key?: Key) => createElements(type, toPrefixed(type, props), key)

/** Adds the base path to the addresses of an HTML element. Components receive their properties unchanged. */
function toPrefixed(type: ElementType, props: Props): Props {
  if (typeof type !== 'string') return props
  let prefixed = props
  for (const name of ADDRESSES) {
    const address = props[name]
    if (typeof address !== 'string') continue
    const full = withBasePath(address)
    if (full !== address) prefixed = { ...prefixed, [name]: full }
  }
  return prefixed
}
