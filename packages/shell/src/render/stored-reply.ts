import type { PageReply } from './page-context.ts'

/** Takes the status and headers of a document that is rendered once for all visitors. */
export class StoredReply implements Pick<PageReply, 'code' | 'header'> {
  statusCode = 200
  readonly headers: Record<string, string> = {}

  code(status: number): void {
    this.statusCode = status
  }

  header(name: string, value: string): void {
    this.headers[name.toLowerCase()] = value
  }
}
