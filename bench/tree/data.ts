export interface Item {
  id: string
  title: string
  summary: string
  author: string
  added: string
  price: string
  tags: string[]
}

export interface Row {
  id: number
  name: string
  owner: string
  changed: string
  size: number
}

export interface Line {
  name: string
  figure: number
}

/** Two lists of figures from slow sources. */
export interface Report {
  sales: Promise<Line[]>
  stock: Promise<Line[]>
}

/** Cards on `/list`. */
export const ITEM_COUNT = 50

/** Rows on `/rows`. */
export const ROW_COUNT = 1_000

/** Lines of each list of a report. */
const LINE_COUNT = 20

const AUTHORS = ['Ada & Co.', 'Grace', 'Lin', 'Mary', 'Nils']
const TAGS = ['iron', 'oak', 'rope', 'sail', 'tar']

const rows = Array.from({ length: ROW_COUNT }, (_, index) => createRow(index + 1))
const items = Array.from({ length: ITEM_COUNT }, (_, index) => createItem(index + 1))

/** All items, as new objects, because a query of a database does not return the same objects twice either. */
export async function listItems(): Promise<Item[]> {
  return items.map(copyItem)
}

/** This many items, which repeat the {@link ITEM_COUNT} items. */
export async function listMany(count: number): Promise<Item[]> {
  return Array.from({ length: count }, (_, index) => ({
    ...copyItem(items[index % ITEM_COUNT]!),
    id: String(index + 1)
  }))
}

export async function findItem(id: string): Promise<Item | undefined> {
  const item = items.find((candidate) => candidate.id === id)
  return item && copyItem(item)
}

/** All rows, as new objects. */
export async function listRows(): Promise<Row[]> {
  return rows.map((row) => ({ ...row }))
}

/** Starts a report; its two promises resolve after 5 and 10 ms. */
export function openReport(): Report {
  return { sales: findLines('Sale', 5), stock: findLines('Shelf', 10) }
}

/** Converts settled figures to a report. */
export const toReport = ({ sales, stock }: Settled): Report => ({
  sales: Promise.resolve(sales),
  stock: Promise.resolve(stock)
})

export interface Settled {
  sales: Line[]
  stock: Line[]
}

/** Waits for all figures of a report. */
export async function settle({ sales, stock }: Report): Promise<Settled> {
  return { sales: await sales, stock: await stock }
}

async function findLines(name: string, milliseconds: number): Promise<Line[]> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
  return Array.from({ length: LINE_COUNT }, (_, index) => ({ name: `${name} ${index + 1}`, figure: index * 17 }))
}

function createRow(id: number): Row {
  return {
    id,
    name: `Row ${id}`,
    owner: AUTHORS[id % AUTHORS.length]!,
    changed: toDate(id),
    size: (id * 7_919) % 10_000
  }
}

function toDate(number: number): string {
  return `2026-${String((number % 12) + 1).padStart(2, '0')}-${String((number % 28) + 1).padStart(2, '0')}`
}

function createItem(number: number): Item {
  return {
    id: String(number),
    title: `Item number ${number}`,
    summary: `What is known about item ${number} fits in one <short> sentence, "quotes" included.`,
    author: AUTHORS[number % AUTHORS.length]!,
    added: toDate(number),
    price: `${number * 3}.50`,
    tags: [TAGS[number % 5]!, TAGS[(number + 2) % 5]!]
  }
}

function copyItem(item: Item): Item {
  return { ...item, tags: [...item.tags] }
}
