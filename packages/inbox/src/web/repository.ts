/** Addresses of a host of repositories, with `{repository}`, `{commit}`, `{path}`, `{line}`, `{title}` and `{body}`. */
interface HostAddresses {
  label: string
  source: string
  commit: string
  newIssue: string
}

export const REPOSITORY_HOSTS = {
  github: {
    label: 'GitHub',
    source: '{repository}/blob/{commit}/{path}#L{line}',
    commit: '{repository}/commit/{commit}',
    newIssue: '{repository}/issues/new?title={title}&body={body}'
  },
  gitlab: {
    label: 'GitLab',
    source: '{repository}/-/blob/{commit}/{path}#L{line}',
    commit: '{repository}/-/commit/{commit}',
    newIssue: '{repository}/-/issues/new?issue[title]={title}&issue[description]={body}'
  },
  gitea: {
    label: 'Gitea or Forgejo',
    source: '{repository}/src/commit/{commit}/{path}#L{line}',
    commit: '{repository}/commit/{commit}',
    newIssue: '{repository}/issues/new?title={title}&body={body}'
  }
} as const satisfies Record<string, HostAddresses>

export type RepositoryHost = keyof typeof REPOSITORY_HOSTS

/** The repository with a project's source. */
export interface Repository {
  host: RepositoryHost
  /** Address of its front page, without a slash at the end. */
  url: string
  /** Folder of the project in it, which the paths of frames begin at, such as `packages/web`. @default its root */
  folder?: string
}

export const isRepositoryHost = (text: string): text is RepositoryHost => Object.hasOwn(REPOSITORY_HOSTS, text)

/** Address of a line in the source. @returns undefined for a path outside of the repository */
export function toSourceHref(
  { host, url, folder }: Repository,
  { commit, file, line }: { commit: string; file: string; line?: number }
): string | undefined {
  const inProject = file.replace(/^(?:app:\/\/\/|\.\/)/, '')
  if (/^(?:[a-z][\w+.-]*:|[/\\])|(?:^|\/)(?:\.\.|node_modules)(?:\/|$)/i.test(inProject)) return undefined
  const hasFolder = folder === undefined || inProject.startsWith(`${folder}/`)
  const path = hasFolder ? inProject : `${folder}/${inProject}`
  const href = fill(REPOSITORY_HOSTS[host].source, { repository: url, commit, path, line: String(line ?? 1) })
  return line === undefined ? href.replace(/#.*$/, '') : href
}

export const toCommitHref = ({ host, url }: Repository, commit: string): string =>
  fill(REPOSITORY_HOSTS[host].commit, { repository: url, commit })

/** Maximum characters of an address. Servers commonly refuse more than 8 KiB. */
const MAX_HREF = 6_000

/**
 * Address of the form for a new issue, filled in.
 * @param body Markdown; its last lines are left out if the address becomes too long
 */
export function toNewIssueHref({ host, url }: Repository, { title, body }: { title: string; body: string }): string {
  const toHref = (text: string) => fill(REPOSITORY_HOSTS[host].newIssue, { repository: url, title, body: text })
  const kept: string[] = []
  let left = MAX_HREF - toHref('').length
  for (const line of body.split('\n')) {
    left -= encode(`\n${line}`).length
    if (left < 0 && kept.length > 0) break
    kept.push(line)
  }
  return toHref(kept.join('\n'))
}

function fill(template: string, { repository, ...values }: Record<string, string> & { repository: string }): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) =>
    name === 'repository' ? repository : encode(values[name] ?? '')
  )
}

/** Encodes a value, and keeps the slashes of paths. */
const encode = (value: string): string => value.split('/').map(encodeURIComponent).join('/')

/**
 * A commit at the end of a version, such as `1.4.2+3f9c2ab` or `shop@3f9c2ab`, or a whole one alone: 40 or 64 digits. A
 * shorter version may be the id of a build.
 */
const COMMIT = /(?:^(?=.{40}$|.{64}$)|[@+-])([\da-f]{7,64})$/

/** Returns the commit that a version names; undefined if it names none. */
export const commitOf = (version: string): string | undefined => COMMIT.exec(version)?.[1]
