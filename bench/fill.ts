import { randomUUID } from 'node:crypto'

/** Replaces the placeholders of a body with new ids, so that no envelope is sent twice. */
export const fill = (body: string): string => body.replaceAll('@id@', hexId()).replaceAll('@trace@', hexId())

const hexId = () => randomUUID().replaceAll('-', '')
