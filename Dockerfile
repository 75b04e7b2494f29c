ARG NODE=node:24.21.0-bookworm-slim

# What the browser and the server run: dist/.
FROM ${NODE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages packages
RUN npm ci
COPY . .
# Where the application and its files are: docs/deploy.md.
ARG BASE_PATH
ARG ASSETS_URL
RUN npm run build

# What server.ts imports from npm. Vite is a peer dependency of the application: @fastify/vite requires it as one, for
# development, and npm would install a development dependency that a production package requires.
# The optional packages of this repository are Node, which the image has, and those of tests.
FROM ${NODE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages packages
RUN npm ci --omit=dev --omit=optional --omit=peer

# The pages of the inbox that runs alone: packages/inbox/README.md.
FROM build AS inbox-build
WORKDIR /app/packages/inbox
RUN node ../../node_modules/vite/bin/vite.js build --app --logLevel warn

# docker build --target inbox
FROM ${NODE} AS inbox
WORKDIR /app
ENV HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
RUN install --directory --owner node --group node /data
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY packages packages
COPY --from=inbox-build /app/packages/inbox/dist packages/inbox/dist
USER node
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
    CMD ["node", "--eval", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=16", "--v8-pool-size=2", "--import=@hull/shell/start", "packages/inbox/src/hull-inbox.ts"]

# The application: the last stage is what docker build makes.
FROM ${NODE}
WORKDIR /app
ENV HOST=0.0.0.0 PORT=3000 DATA_DIR=/data NODE_COMPILE_CACHE=/app/.compile-cache
RUN mkdir .compile-cache /data && chown node:node .compile-cache /data
COPY --from=packages /app/node_modules node_modules
COPY package.json config.ts server.ts ./
COPY packages packages
COPY plugins plugins
COPY routes routes
COPY --from=build /app/dist dist

# Started once, so that what Node compiles is in the image. As the user that will run it: Node keeps a cache for each
# user. With data of its own, which is thrown away: a secret or a key of the inbox would be the same in every container.
# An application that needs its environment to start, such as a database, is built without.
USER node
RUN DATA_DIR=/tmp/warm LOG_LEVEL=silent node --import=@hull/shell/start --input-type=module --eval " \
    const { buildServer } = await import('/app/server.ts'); \
    const { loadConfig } = await import('/app/config.ts'); \
    const app = await buildServer(loadConfig()); \
    await app.inject(app.basePath + '/'); \
    await app.close()" \
    || echo 'The application does not start here. Its first start in a container will take longer.'; \
    rm -rf /tmp/warm

VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
    CMD ["node", "--eval", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The flags of Node are those of package.json: docs/decisions/070-memory.md and 063-bundled-packages.md
CMD ["node", "--max-semi-space-size=16", "--v8-pool-size=2", "--import=@hull/shell/start", "server.ts"]
