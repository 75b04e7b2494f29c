import { CachePrivate } from '../errors.ts'
import type { PageReply } from './page-context.ts'

/** Takes the status and headers of a document that is rendered for everybody. */
export class StoredReply implements PageReply {
  statusCode = 200
  readonly headers: Record<string, string> = {}

  code(status: number): void {
    this.statusCode = status
  }

  header(name: string, value: string): void {
    this.headers[name.toLowerCase()] = value
  }

  setCookie(): never {
    throw new CachePrivate('cookies')
  }
}
