# syntax=docker/dockerfile:1
# Two stages: one with all packages, which builds the pages; one with what runs.
ARG NODE_IMAGE=node:26-slim@sha256:c0753125a3789977aefe869cbebccf70e3cfd7ea84ca48547458f02e4f1d7146
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY sdk/package.json sdk/
COPY plugins/providers/media-browser/package.json plugins/providers/media-browser/
COPY plugins/providers/trakt-dialect/package.json plugins/providers/trakt-dialect/
# Install scripts only prepare the development of the service; what they would build comes with its package.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY core core
COPY sdk sdk
COPY plugins plugins
COPY plugin-registry.json ./
COPY docs docs
COPY ui ui
COPY CHANGELOG.md ./
RUN node ui/build.ts && node core/build.ts && npm prune --omit=dev --ignore-scripts --no-audit --no-fund && npm cache clean --force \
    # The driver that is used is Node's own.
    && rm -r node_modules/better-sqlite3

FROM ${NODE_IMAGE}
# Settings of the C library and of V8, below: see core/runtime-settings.js.
ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=2 \
    MALLOC_MMAP_THRESHOLD_=16384 \
    MALLOC_TRIM_THRESHOLD_=131072 \
    PLAYHEAD_DATA_DIR=/data \
    PLAYHEAD_HOST=0.0.0.0
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY package.json package-lock.json plugin-registry.json LICENSE ./
COPY core core
COPY sdk sdk
COPY plugins plugins
# The introduction of the API description.
COPY docs/reference/http.md docs/reference/
COPY ui/static ui/static
COPY --from=build /app/ui/dist ui/dist
COPY --from=build /app/dist dist
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8787
# Answers whatever state the service is in, so that a sick configuration does not make a container restart for ever.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "core/health-check.js"]
CMD ["node", "--max-semi-space-size=4", "--initial-old-space-size=48", "--heap-growing-percent=30", "--v8-pool-size=1", "--no-memory-pool", "core/start.js"]
