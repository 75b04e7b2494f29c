import type { ReactNode } from 'react'
import { Copyable } from '../shared/copyable.tsx'
import { Text } from '../shared/text.tsx'
import { TimeAgo } from '../shared/time.tsx'

interface SecretEntry {
  id: string | number
  title: ReactNode
  created: number
  /** Name of the person who created it. */
  by: string
  /** Further facts about it. */
  facts?: ReactNode
  /** Undefined if the secret is no longer shown. */
  secret: string | undefined
  /** Ends it. */
  action: ReactNode
}

/** Entries with a secret to copy, which is shown for some minutes. @param noun name of the secret, such as `token` */
export function SecretList({ entries, noun }: { entries: SecretEntry[]; noun: string }) {
  if (entries.length === 0) return null
  return (
    <ul className="entries">
      {entries.map(({ id, title, created, by, facts, secret, action }) => (
        <li key={id}>
          <div className="entry-head">
            <span>
              {title}
              <span className="quiet">
                {' · created '}
                <TimeAgo at={created} />
                {' by '}
                <Text max={30}>{by}</Text>
                {facts}
              </span>
            </span>
            {action}
          </div>
          {secret === undefined ? (
            <p className="quiet">{`The ${noun} is no longer shown.`}</p>
          ) : (
            <Copyable text={secret} label={noun} />
          )}
        </li>
      ))}
    </ul>
  )
}
