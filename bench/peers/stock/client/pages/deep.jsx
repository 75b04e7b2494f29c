import { Deep, deepTitle } from '#tree/deep.tsx'

export function getMeta () {
  return { title: deepTitle }
}

export default Deep
