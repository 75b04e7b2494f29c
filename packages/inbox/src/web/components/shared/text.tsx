import type { ComponentProps } from 'react'
import { clip, toVisibleParts, toVisibleText } from '@hull/common/visible-text.ts'

/** Link to an address; without one, only its content. */
export const OptionalLink = ({ href, children, ...attributes }: ComponentProps<'a'>) =>
  href === undefined ? (
    children
  ) : (
    <a href={href} {...attributes}>
      {children}
    </a>
  )

interface TextProps {
  /** Text from outside, which may contain anything. */
  children: string
  /** Maximum characters to show; the rest is in the title. @default all */
  max?: number
}

/**
 * Text from outside, shown safely: its writing direction does not affect the surroundings, and invisible characters are
 * shown by name.
 */
export function Text({ children, max = Infinity }: TextProps) {
  const shown = clip(children, max)
  const parts = toVisibleParts(shown)
  return (
    <bdi title={shown === children ? undefined : clip(toVisibleText(children), 2_000)}>
      {parts.length === 1 && typeof parts[0] === 'string'
        ? parts[0]
        : parts.map((part, i) =>
            typeof part === 'string' ? (
              part
            ) : (
              // oxlint-disable-next-line react/no-array-index-key
              <span key={i} className="invisible-character" title="a character that is not shown as it is">
                {part.character}
              </span>
            )
          )}
    </bdi>
  )
}
