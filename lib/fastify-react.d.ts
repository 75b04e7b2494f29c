// @fastify/react 1.2 ships no types; these are the parts that are used here.
declare module '@fastify/react' {
  export const clientModule: string
}

declare module '@fastify/react/plugin' {
  import type { Plugin } from 'vite'
  export default function viteFastifyReact(options?: { ts?: boolean }): Plugin[]
}
