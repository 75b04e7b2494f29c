ARG NODE=node:24.21.0-bookworm-slim

# Builds dist/, the files that the browser and the server run.
FROM ${NODE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages packages
RUN npm ci
COPY . .
# Addresses of the application and of its files: docs/deploy.md.
ARG BASE_PATH
ARG ASSETS_URL
RUN npm run build

# The packages that server.ts imports. Vite is a peer dependency of the application, because @fastify/vite requires it as
# one, for development, and npm would install a development dependency that a production package requires.
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
# node. With runAsNonRoot, Kubernetes refuses a name.
USER 1000
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
    CMD ["node", "--no-use-env-proxy", "--eval", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--min-semi-space-size=4", "--max-semi-space-size=16", "--v8-pool-size=2", "--import=@hull/shell/start", "packages/inbox/src/hull-inbox.ts"]

# The application. docker build makes the last stage.
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

# Starts the application once, so that the image contains Node's compile cache. It runs as the user of the container,
# because Node has a cache for each user, and with a data folder that is deleted afterwards: otherwise every container
# would have the same secret. If the application needs a database or the like to start, the image has no cache.
#
# The user is node. With runAsNonRoot, Kubernetes refuses a name.
USER 1000
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
    CMD ["node", "--no-use-env-proxy", "--eval", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The flags of Node are those of package.json: docs/decisions/070-memory.md and 063-bundled-packages.md
CMD ["node", "--min-semi-space-size=4", "--max-semi-space-size=16", "--v8-pool-size=2", "--import=@hull/shell/start", "server.ts"]
