/** An article of a ship chandler: sample data of the lab. */
export interface Item {
  id: number
  name: string
  kind: string
  size: string
  /** Cents. */
  price: number
  stock: number
  summary: string
}

const KINDS = [
  ['Bow shackle', 'Takes a load from more than one side.', 480],
  ['Snap hook', 'Opens with one hand, closes by itself.', 720],
  ['Swivel', 'Keeps a line from twisting.', 950],
  ['Turnbuckle', 'Sets the tension of a stay.', 1890],
  ['Cleat', 'Holds a line without a knot.', 640],
  ['Fairlead', 'Leads a line where it should go.', 1120],
  ['Block', 'Turns a pull around a sheave.', 2350],
  ['Thimble', 'Saves the eye of a rope from chafe.', 190],
  ['Eye bolt', 'Gives a line something to hold on to.', 310],
  ['Ring', 'Joins what must come apart again.', 260]
] as const

const SIZES = [6, 8, 10, 12, 16]

const items: Item[] = KINDS.flatMap(([kind, summary, price], k) =>
  SIZES.map((size, s) => ({
    id: k * SIZES.length + s + 1,
    name: `${kind} ${size} mm`,
    kind,
    size: `${size} mm`,
    price: Math.round((price * size) / 6),
    stock: (k * 7 + s * 13) % 24,
    summary
  }))
)

/** All fifty, by id. */
export const listItems = (): Item[] => items

/** @param id from the address */
export function findItem(id: string): Item | undefined {
  return /^[1-9]\d*$/.test(id) ? items[Number(id) - 1] : undefined
}
