import { randomUUID } from 'node:crypto'

/** The same body with ids of its own: nothing is sent twice. */
export const fill = (body: string): string => body.replaceAll('@id@', hexId()).replaceAll('@trace@', hexId())

const hexId = () => randomUUID().replaceAll('-', '')
