import FastifyVite from '@fastify/vite'
import Fastify from 'fastify'

const server = Fastify()
await server.register(FastifyVite, { root: import.meta.dirname, dev: false, renderer: '@fastify/react' })
await server.vite.ready()
await server.listen({ port: Number(process.env.PORT), host: process.env.HOST })
