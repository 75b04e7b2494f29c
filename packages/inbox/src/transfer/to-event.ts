import type { EventDetail, ExceptionDetail, Frame } from '../store/model.ts'

/**
 * Converts a stored event to one that an SDK would send, so that a receiver groups it in the same way. Frames have
 * their positions in the sources, and those in the built files in `data`, as Sentry stores them.
 * @param visitor the stored visitor, used if the event has no user id
 */
export function toSentryEvent(detail: EventDetail, visitor: string | null) {
  const { message, template, exceptions, threads = [], request, components = [] } = detail
  return {
    event_id: detail.eventId,
    timestamp: detail.at / 1_000,
    platform: detail.platform,
    level: detail.level,
    ...(message !== undefined && {
      logentry: { formatted: message, ...(template !== undefined && { message: template }) }
    }),
    ...(exceptions.length > 0 && { exception: { values: toExceptions(exceptions) } }),
    ...(threads.length > 0 && { threads: { values: toThreads(detail) } }),
    ...(detail.release !== undefined && { release: detail.release }),
    ...(detail.environment !== '' && { environment: detail.environment }),
    ...(detail.route !== undefined && { transaction: detail.route }),
    ...toUser(detail, visitor),
    tags: detail.tags,
    breadcrumbs: {
      values: detail.breadcrumbs.map(({ at, ...crumb }) => ({
        ...(at !== undefined && { timestamp: at / 1_000 }),
        ...crumb
      }))
    },
    ...(request && {
      request: {
        method: request.method,
        url: request.url,
        query_string: request.query,
        headers: request.headers,
        cookies: request.cookies,
        data: request.body
      }
    }),
    contexts: {
      ...toPrograms(detail),
      ...detail.contexts,
      ...(detail.traceId !== undefined && { trace: { trace_id: detail.traceId, span_id: detail.spanId } }),
      ...(components.length > 0 && { react: { componentStack: components.map(toComponentLine).join('\n') } })
    },
    extra: detail.extra,
    ...toSdk(detail.sdk),
    ...(detail.fingerprint && { fingerprint: detail.fingerprint })
  }
}

/** The members of a group are marked as SDKs do it. If the group was named after one of them, it is the only one. */
function toExceptions(exceptions: readonly ExceptionDetail[]) {
  const only = exceptions.find(({ isOnlyMember }) => isOnlyMember)
  const members = only ? [only] : exceptions.filter(({ isMember }) => isMember)
  return exceptions.map((exception, index) => {
    const { mechanism, ...sent } = toException(exception)
    const isGroup = members.length > 0 && index === exceptions.length - 1
    const member = members.indexOf(exception)
    return {
      ...sent,
      mechanism: {
        ...mechanism,
        ...(isGroup && { exception_id: 0, is_exception_group: true }),
        ...(member >= 0 && { exception_id: member + 1, parent_id: 0, source: `exceptions[${member}]` })
      }
    }
  })
}

const toException = ({ type, value, handled, mechanism = 'generic', frames }: ExceptionDetail) => ({
  ...(type !== '' && { type }),
  value,
  mechanism: { type: mechanism, ...(handled !== undefined && { handled }) },
  ...(frames.length > 0 && { stacktrace: toStack(frames) })
})

/** SDKs send the outermost frame first. */
const toStack = (frames: readonly Frame[]) => ({ frames: frames.toReversed().map(toFrame) })

const toFrame = ({ file, function: name, line, column, inApp, source, variables, built }: Frame) => ({
  filename: file,
  function: name,
  lineno: line,
  colno: column,
  in_app: inApp,
  ...(source && { pre_context: source.before, context_line: source.line, post_context: source.after }),
  ...(variables && { vars: variables }),
  ...(built && {
    data: {
      symbolicated: true,
      orig_filename: built.file,
      orig_lineno: built.line,
      orig_colno: built.column,
      orig_function: built.function
    }
  })
})

/** The thread of the exception was not stored, because it has the exception's stack. */
function toThreads({ exceptions, threads = [] }: EventDetail) {
  const values = threads.map(({ name, isCrashed, isCurrent, frames }) => ({
    name,
    crashed: isCrashed,
    current: isCurrent,
    stacktrace: toStack(frames)
  }))
  return exceptions.length > 0 ? [{ name: 'exception', crashed: true, current: true }, ...values] : values
}

/** The id makes the receiver count the same number of visitors. */
function toUser({ user }: EventDetail, visitor: string | null) {
  const id = user?.id ?? visitor ?? undefined
  return user || id !== undefined ? { user: { ...user?.data, id, username: user?.name, email: user?.email } } : {}
}

/** Browser and system, for events that have them from the User-Agent of a request that is not sent. */
function toPrograms({ browser, os }: EventDetail) {
  return {
    ...(browser !== undefined && { browser: toProgram(browser) }),
    ...(os !== undefined && { client_os: toProgram(os) })
  }
}

function toProgram(text: string) {
  const [, name = text, version] = /^(.*) (\d+)$/.exec(text) ?? []
  return { name, ...(version !== undefined && { version }) }
}

function toComponentLine({ file, function: name = '', line, column }: Frame): string {
  return file === '' || line === undefined ? `    at ${name}` : `    at ${name} (${file}:${line}:${column ?? 1})`
}

function toSdk(sdk: string | undefined) {
  if (sdk === undefined) return {}
  const at = sdk.lastIndexOf('@')
  return { sdk: at < 1 ? { name: sdk } : { name: sdk.slice(0, at), version: sdk.slice(at + 1) } }
}
