import { clip, toVisibleParts, toVisibleText } from '@hull/common/visible-text.ts'

interface TextProps {
  /** What somebody else wrote: anything at all. */
  children: string
  /** Characters that are shown; the rest is in the title. @default all */
  max?: number
}

/**
 * Text that came from outside, shown so that it is what it seems: its direction does not reach what stands around it,
 * and a character that would not be seen is named.
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
              <span key={i} className="unseen" title="a character that is not shown as it is">
                {part.character}
              </span>
            )
          )}
    </bdi>
  )
}
