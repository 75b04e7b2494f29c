import type { AttachmentRow } from '../../../queries/issues/attachments.ts'
import { formatBytes } from '@hull/common/format-bytes.ts'
import { OptionalLink, Text } from './text.tsx'
import './attachment-list.css'

/** Files as downloads, with type and size. */
export function AttachmentList({ attachments }: { attachments: AttachmentRow[] }) {
  if (attachments.length === 0) return null
  return (
    <ul className="attachments">
      {attachments.map(({ id, filename, contentType, size, kept }) => (
        <li key={id}>
          <OptionalLink href={kept ? `/inbox/attachments/${id}` : undefined} download data-document>
            <Text max={120}>{filename}</Text>
          </OptionalLink>{' '}
          <span className="quiet">
            {formatBytes(size)}
            {contentType && (
              <>
                , <Text max={80}>{contentType}</Text>
              </>
            )}
            {!kept && ', content not stored'}
          </span>
        </li>
      ))}
    </ul>
  )
}
