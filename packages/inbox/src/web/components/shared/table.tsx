import type { ReactNode } from 'react'
import { Count } from './count.tsx'
import { Text } from './text.tsx'
import { TimeAgo } from './time.tsx'

interface Column {
  label: string
  /** Class of the heading. The cells below it have their own. */
  className?: string
  /** Tooltip of the heading. */
  title?: string
  /** Whether only screen readers have the heading. @default false */
  isHidden?: boolean
  /** Address of the list, sorted by this column. */
  href?: string
  /** Whether the list is sorted by this column. @default false */
  isSorted?: boolean
}

interface TableProps {
  /** The headings. A text is a column without anything else. */
  columns: (string | Column)[]
  /** Name of the table for screen readers. @default the heading above it */
  caption?: string
  /** `table-stacked` shows each row as a block on a narrow screen, in which `data-label` of a cell is its heading. */
  className?: string
  /** The rows. */
  children: ReactNode
}

/** Table with one heading for each column. Scrolls by itself if it is wider than the screen. */
export function Table({ columns, caption, className = 'table-stacked', children }: TableProps) {
  return (
    <div className="table-wrap">
      <table className={`table ${className}`.trim()}>
        {caption !== undefined && <caption className="visually-hidden">{caption}</caption>}
        <thead>
          <tr>
            {columns.map((column) => {
              const { label, isHidden, href, isSorted, ...rest }: Column =
                typeof column === 'string' ? { label: column } : column
              return (
                <th key={label} scope="col" {...rest} aria-sort={isSorted ? 'descending' : undefined}>
                  {isHidden ? (
                    <span className="visually-hidden">{label}</span>
                  ) : href === undefined ? (
                    label
                  ) : (
                    <a href={href} data-keep-scroll>
                      {label}
                    </a>
                  )}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

/** Cell with text from outside. @param props.label heading of the cell in a stacked table */
export const TextCell = ({ label, text }: { label: string; text: string }) => (
  <td data-label={label}>
    <Text max={60}>{text}</Text>
  </td>
)

/** Cell with the age of a time. */
export const TimeCell = ({ label, at }: { label: string; at: number }) => (
  <td className="nowrap" data-label={label}>
    <TimeAgo at={at} />
  </td>
)

/** Cell with a count. */
export const CountCell = ({ label, of }: { label?: string; of: number }) => (
  <td className="number" data-label={label}>
    <Count of={of} />
  </td>
)
