import type { SpanDetail } from '../../store/model.ts'
import type { TraceSpan } from './trace-types.ts'

interface Node {
  span: SpanDetail
  children: Node[]
  isOrphan: boolean
}

/**
 * Spans in waterfall order: browser spans above server spans, each tree depth first, siblings by start. Accepts spans
 * in any order, duplicates, missing parents and cycles.
 */
export function toTraceSpans(spans: readonly SpanDetail[]): TraceSpan[] {
  const nodes = new Map<string, Node>()
  for (const span of spans) if (!nodes.has(span.spanId)) nodes.set(span.spanId, { span, children: [], isOrphan: false })
  const roots = plant(nodes)
  const shifts = findShifts(nodes)
  for (const [id, node] of nodes) {
    const shift = shifts.get(id)
    if (shift !== undefined) node.span = { ...node.span, start: node.span.start + shift }
  }
  for (const { children } of nodes.values()) children.sort(byStart)
  roots.sort((a, b) => Number(a.span.side === 'server') - Number(b.span.side === 'server') || byStart(a, b))
  return roots.flatMap((root) => walk(root, shifts))
}

const byStart = (a: Node, b: Node) => a.span.start - b.span.start || b.span.duration - a.span.duration

/** Attaches each span to its parent on the same side; the others become roots. Breaks cycles. */
function plant(nodes: ReadonlyMap<string, Node>): Node[] {
  const roots: Node[] = []
  for (const node of nodes.values()) {
    const { parentId, side, isSegment, segmentId } = node.span
    const parent = parentId === undefined ? undefined : nodes.get(parentId)
    if (parent === node || parentId === undefined) roots.push(node)
    else if (parent) (parent.span.side === side ? parent.children : roots).push(node)
    else {
      // A segment's parent is often missing, because the calling service is not traced here.
      node.isOrphan = !isSegment
      const segment = isSegment || segmentId === undefined ? undefined : nodes.get(segmentId)
      ;(segment && segment !== node ? segment.children : roots).push(node)
    }
  }
  return [...roots, ...cutCircles(nodes, roots)]
}

function cutCircles(nodes: ReadonlyMap<string, Node>, roots: readonly Node[]): Node[] {
  const reached = new Set<Node>()
  const reach = (from: Node) => {
    const open = [from]
    for (let node = open.pop(); node; node = open.pop()) {
      if (reached.has(node)) continue
      reached.add(node)
      open.push(...node.children)
    }
  }
  roots.forEach(reach)
  const cut: Node[] = []
  for (const node of [...nodes.values()].sort(byStart)) {
    if (reached.has(node)) continue
    const parent = nodes.get(node.span.parentId!)!
    parent.children = parent.children.filter((child) => child !== node)
    node.isOrphan = true
    cut.push(node)
    reach(node)
  }
  return cut
}

function walk(root: Node, shifts: ReadonlyMap<string, number>): TraceSpan[] {
  const spans: TraceSpan[] = []
  const open: { node: Node; depth: number }[] = [{ node: root, depth: 0 }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, depth } = next
    const { span, children, isOrphan } = node
    const shifted = shifts.get(span.spanId)
    spans.push({
      ...span,
      depth,
      isOrphan,
      children: children.length,
      self: selfTime(node),
      ...(shifted !== undefined && { shifted })
    })
    for (const child of children.toReversed()) open.push({ node: child, depth: depth + 1 })
  }
  return spans
}

/** Microseconds of a span during which none of its children ran. Children may overlap and end after their parent. */
function selfTime({ span, children }: Node): number {
  const end = span.start + span.duration
  let covered = 0
  let at = span.start
  for (const { span: child } of children) {
    const from = Math.max(child.start, at)
    const to = Math.min(child.start + child.duration, end)
    if (to <= from) continue
    covered += to - from
    at = to
  }
  return span.duration - covered
}

/**
 * Clock offset of each server span. The browser's clock is the reference: the server's work for a request must lie
 * within that request. If it does not, it is centred in the request, together with all its descendants.
 */
function findShifts(nodes: ReadonlyMap<string, Node>): Map<string, number> {
  const shifts = new Map<string, number>()
  const pages = new Map<string, Node>()
  // Interactions and layout shifts are segments with the same parent as their page.
  for (const node of nodes.values())
    if (node.span.side === 'browser' && node.span.op === 'pageload' && node.span.parentId !== undefined)
      pages.set(node.span.parentId, node)
  for (const node of nodes.values()) {
    const { side, isSegment, parentId, spanId } = node.span
    if (side !== 'server' || !isSegment) continue
    const caller = parentId === undefined ? undefined : nodes.get(parentId)
    const page = pages.get(spanId)
    const frame = caller?.span.side === 'browser' ? caller.span : page && documentRequest(page)
    const shift = frame && shiftInto(frame, node.span)
    if (shift) shiftBelow(node, shift, shifts, nodes)
  }
  return shifts
}

/**
 * The request for the page's document: the browser reports when it was sent and answered. At most the whole page load.
 */
function documentRequest(page: Node): SpanDetail {
  const request = page.children.find(({ span }) => span.op === 'browser.request')?.span
  return request ?? page.span
}

function shiftInto(frame: SpanDetail, inner: SpanDetail): number {
  const room = frame.duration - inner.duration
  if (inner.start >= frame.start && inner.start + inner.duration <= frame.start + frame.duration) return 0
  return Math.round(frame.start + Math.max(0, room / 2) - inner.start)
}

/** The server's own spans, and those of servers it called, which are assumed to share its clock. */
function shiftBelow(root: Node, shift: number, shifts: Map<string, number>, nodes: ReadonlyMap<string, Node>): void {
  const open = [root]
  const seen = new Set<Node>()
  for (let node = open.pop(); node; node = open.pop()) {
    if (seen.has(node) || !nodes.has(node.span.spanId)) continue
    seen.add(node)
    shifts.set(node.span.spanId, shift)
    open.push(...node.children)
  }
}
