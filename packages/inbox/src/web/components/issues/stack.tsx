import { createContext, use } from 'react'
import type { RepositoryView } from '../../../queries/releases/repository.ts'
import { toSourceHref } from '../../repository.ts'
import type { ExceptionDetail, Frame, ThreadDetail } from '../../../store/model.ts'
import { countOf } from '../shared/format.ts'
import { KeyValues } from '../shared/parts.tsx'
import { Text } from '../shared/text.tsx'
import './stack.css'

/** Lines of context on each side of the failing one: seven lines in all. */
const AROUND = 3

/** In-app frames to expand at first. A deep recursion has more. */
const OPEN = 8

/** Repository and commit that frames link to. @default no links */
export const SourceRepository = createContext<RepositoryView | undefined>(undefined)

/** Exceptions of an event, the last one thrown first, followed by its causes, or by the errors of its group. */
export function Stack({ exceptions }: { exceptions: ExceptionDetail[] }) {
  const newestFirst = exceptions.toReversed()
  return (
    <div className="stack-chain">
      {newestFirst.map((exception, i) => (
        // oxlint-disable-next-line react/no-array-index-key
        <section
          key={i}
          className="exception"
          aria-label={i === 0 ? 'Error' : exception.isMember ? 'One of its errors' : 'Its cause'}
        >
          {newestFirst.length > 1 && (
            <header className="exception-head">
              {i > 0 && <p className="quiet">{exception.isMember ? 'One of its errors' : 'Caused by'}</p>}
              <h3>
                <Text max={300}>{exception.type || exception.value}</Text>
              </h3>
              {exception.type && (
                <p className="exception-value">
                  <Text>{exception.value}</Text>
                </p>
              )}
            </header>
          )}
          <Frames frames={exception.frames} />
        </section>
      ))}
    </div>
  )
}

/** Stacks of an event's threads. The first one, which crashed or was running, is open if there is no exception. */
export function Threads({ threads }: { threads: ThreadDetail[] }) {
  return threads.map(({ name, isCrashed, frames }, i) => (
    // oxlint-disable-next-line react/no-array-index-key
    <details key={i} className="thread" open={i === 0}>
      <summary>
        {name === '' ? (
          'Stack'
        ) : (
          <>
            {'Thread '}
            <Text max={80}>{name}</Text>
          </>
        )}
        {isCrashed && ' (crashed)'}
      </summary>
      <Frames frames={frames} />
    </details>
  ))
}

/** In-app frames, with library frames between them collapsed. */
export function Frames({ frames }: { frames: Frame[] }) {
  if (frames.length === 0) return <p className="quiet">This error has no stack trace.</p>
  const hasOwn = frames.some(({ inApp }) => inApp)
  let opened = 0
  return (
    <ol className="frames">
      {toRuns(frames).map((run, i) => {
        if (run.inApp) {
          const frame = run.frames[0]!
          const isOpen = frame.source !== undefined && opened++ < OPEN
          return <OwnFrame key={i} frame={frame} isOpen={isOpen} />
        }
        // without an in-app frame, the innermost frame says the most
        return <LibraryFrames key={i} frames={run.frames} isOpen={!hasOwn && i === 0} />
      })}
    </ol>
  )
}

interface Run {
  inApp: boolean
  frames: Frame[]
}

/** Groups runs of library frames; in-app frames stay single. */
function toRuns(frames: Frame[]): Run[] {
  const runs: Run[] = []
  for (const frame of frames) {
    const last = runs.at(-1)
    if (!frame.inApp && last && !last.inApp) last.frames.push(frame)
    else runs.push({ inApp: frame.inApp, frames: [frame] })
  }
  return runs
}

function OwnFrame({ frame, isOpen }: { frame: Frame; isOpen: boolean }) {
  if (!frame.source)
    return (
      <li className="frame-own">
        <p className="frame-plain">
          <Place frame={frame} />
        </p>
        <SourceLink frame={frame} />
        <Variables frame={frame} />
      </li>
    )
  return (
    <li className="frame-own">
      <details open={isOpen}>
        <summary>
          <Place frame={frame} />
        </summary>
        <Source frame={frame} />
        <SourceLink frame={frame} />
        <Variables frame={frame} />
      </details>
    </li>
  )
}

/** Link to the frame's line in the repository, if the commit of the event's release is known. */
function SourceLink({ frame }: { frame: Frame }) {
  const repository = use(SourceRepository)
  const href = repository?.commit && toSourceHref(repository, { ...frame, commit: repository.commit })
  if (!href) return null
  return (
    <p className="frame-repository">
      <a href={href} rel="noreferrer">
        Show in the repository
      </a>
    </p>
  )
}

function Variables({ frame: { variables = {} } }: { frame: Frame }) {
  const rows = Object.entries(variables)
  if (rows.length === 0) return null
  return (
    <details className="frame-variables">
      <summary>{countOf(rows.length, 'local variable')}</summary>
      <KeyValues label="Local variables" rows={rows} />
    </details>
  )
}

function LibraryFrames({ frames, isOpen }: { frames: Frame[]; isOpen: boolean }) {
  const packages = [...new Set(frames.map((frame) => frame.package ?? 'a library'))]
  const named = packages.length > 3 ? [...packages.slice(0, 3), 'others'] : packages
  return (
    <li className="frame-library">
      <details open={isOpen}>
        <summary>
          {`${countOf(frames.length, 'frame')} in `}
          <Text max={120}>{named.join(', ')}</Text>
        </summary>
        <ol>
          {frames.map((frame, i) => (
            // oxlint-disable-next-line react/no-array-index-key
            <li key={i}>
              <Place frame={frame} />
            </li>
          ))}
        </ol>
      </details>
    </li>
  )
}

/** `sumOf  client/pages/checkout.tsx:42:17`. */
function Place({ frame: { function: name, file, line, column, built } }: { frame: Frame }) {
  return (
    <span className="place" title={built && `${built.file}:${built.line ?? '?'}:${built.column ?? '?'}`}>
      <b>
        <Text max={160}>{name ?? '(anonymous)'}</Text>
      </b>{' '}
      <span className="place-file">
        <Text max={300}>{file}</Text>
        {line !== undefined && (
          <span className="place-line">{`:${line}${column === undefined ? '' : `:${column}`}`}</span>
        )}
      </span>
    </span>
  )
}

function Source({ frame }: { frame: Frame }) {
  const { line = 1, column, source } = frame
  const { before, line: text, after } = source!
  const above = before.slice(-AROUND)
  const lines = [...above, text, ...after.slice(0, AROUND)]
  const first = line - above.length
  const indent = indentOf(lines)
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a keyboard scrolls it
    <pre className="source" tabIndex={0} aria-label={`Source around line ${line}`}>
      <code>
        {lines.map((code, i) => {
          const isFailing = i === above.length
          return (
            // oxlint-disable-next-line react/no-array-index-key
            <span key={i} className={isFailing ? 'source-line source-failing' : 'source-line'}>
              <span className="source-number">{first + i}</span>
              {isFailing ? (
                <Failing text={code} column={column} indent={indent} />
              ) : (
                <Text max={300}>{code.slice(indent)}</Text>
              )}
              {'\n'}
            </span>
          )
        })}
      </code>
    </pre>
  )
}

/** The source line, with the word at the column highlighted. */
function Failing({ text, column, indent }: { text: string; column?: number; indent: number }) {
  if (column === undefined || column < 1 || column > text.length) return <Text max={300}>{text.slice(indent)}</Text>
  const at = column - 1
  // the start of a minified or generated line is not useful
  const from = at - indent > 160 ? at - 80 : Math.min(indent, at)
  const word = /^(?:[\p{L}\p{N}_$]+|.)/su.exec(text.slice(at, at + 200))?.[0] ?? ''
  return (
    <>
      {from > indent && '…'}
      <Text>{text.slice(from, at)}</Text>
      <mark>
        <Text>{word}</Text>
      </mark>
      <Text max={200}>{text.slice(at + word.length)}</Text>
    </>
  )
}

/** Indentation that all lines share. */
function indentOf(lines: string[]): number {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)![0].length)
  return indents.length === 0 ? 0 : Math.min(...indents)
}
