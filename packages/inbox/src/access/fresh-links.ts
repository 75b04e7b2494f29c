import { LINK_SHOWN } from './times.ts'

interface FreshLink {
  person: number
  hash: string
  token: string
  until: number
}

/** More than a person creates in ten minutes. The oldest are removed first. */
const MAX_LINKS = 100

/** Keeps the tokens of new invitations in memory while their links are shown. The store only has hashes. */
export function createFreshLinks(now: () => number = () => performance.now()) {
  let links: FreshLink[] = []
  const prune = () => (links = links.filter(({ until }) => until > now()).slice(-MAX_LINKS))

  return {
    add(person: number, { hash, token }: Pick<FreshLink, 'hash' | 'token'>): void {
      links.push({ person, hash, token, until: now() + LINK_SHOWN })
      prune()
    },
    /** Tokens by hash. */
    of(person: number): ReadonlyMap<string, string> {
      return new Map(
        prune()
          .filter((link) => link.person === person)
          .map(({ hash, token }) => [hash, token])
      )
    }
  }
}
