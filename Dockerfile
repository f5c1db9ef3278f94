# The Callkite server. compose.yaml runs it with Postgres and https; apps/server/OPERATIONS.md says how to run it well.
FROM node:22-bookworm-slim AS build
WORKDIR /src
RUN npm install --global pnpm@10
COPY . .
RUN pnpm install --frozen-lockfile
RUN pnpm exec tsc -b apps/server && pnpm exec vite build apps/widget --logLevel warn
# Copies packages instead of linking them, in the versions of the lock file.
RUN pnpm --config.inject-workspace-packages=true --filter @callkite/server --prod deploy /app

FROM node:22-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 CALLKITE_DATA_DIR=/data
WORKDIR /app
COPY --from=build /app ./
RUN mkdir -p /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Not through a package manager: the signal to stop has to reach the server, which lets live calls end.
STOPSIGNAL SIGTERM
CMD ["node", "dist/main.js"]
