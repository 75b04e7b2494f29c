import type { ReactNode } from 'react'
import type { Item } from '../tree/data.ts'
import { Detail, detailTitle } from '../tree/detail.tsx'
import { Home, homeTitle } from '../tree/home.tsx'
import { List, listTitle } from '../tree/list.tsx'

/** What the document carries to the browser, as JSON. */
export type Payload =
  | { page: 'home'; data: { greeting: string } }
  | { page: 'list'; data: { items: Item[] } }
  | { page: 'item'; data: { item: Item } }

/** The page's element: server and browser render the same. */
export function createPage(payload: Payload): ReactNode {
  switch (payload.page) {
    case 'home':
      return <Home {...payload.data} Link="a" />
    case 'list':
      return <List {...payload.data} Link="a" />
    case 'item':
      return <Detail {...payload.data} Link="a" />
  }
}

export function toTitle(payload: Payload): string {
  switch (payload.page) {
    case 'home':
      return homeTitle
    case 'list':
      return listTitle
    case 'item':
      return detailTitle(payload.data.item)
  }
}
