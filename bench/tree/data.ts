export interface Item {
  id: string
  title: string
  summary: string
  author: string
  added: string
  price: string
  tags: string[]
}

/** Cards on `/list`. */
export const ITEM_COUNT = 50

const AUTHORS = ['Ada & Co.', 'Grace', 'Lin', 'Mary', 'Nils']
const TAGS = ['iron', 'oak', 'rope', 'sail', 'tar']

const items = Array.from({ length: ITEM_COUNT }, (_, index) => createItem(index + 1))

/** All items, as new objects: a query does not give the same ones twice. */
export async function listItems(): Promise<Item[]> {
  return items.map(copyItem)
}

export async function findItem(id: string): Promise<Item | undefined> {
  const item = items.find((candidate) => candidate.id === id)
  return item && copyItem(item)
}

function createItem(number: number): Item {
  return {
    id: String(number),
    title: `Item number ${number}`,
    summary: `What is known about item ${number} fits in one <short> sentence, "quotes" included.`,
    author: AUTHORS[number % AUTHORS.length]!,
    added: `2026-${String((number % 12) + 1).padStart(2, '0')}-${String((number % 28) + 1).padStart(2, '0')}`,
    price: `${number * 3}.50`,
    tags: [TAGS[number % 5]!, TAGS[(number + 2) % 5]!]
  }
}

function copyItem(item: Item): Item {
  return { ...item, tags: [...item.tags] }
}
