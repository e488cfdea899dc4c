# syntax=docker/dockerfile:1
# Three stages: the dependencies of the service, the pages (whose packages stay behind), then only what runs.
ARG NODE_IMAGE=node:26-slim@sha256:c0753125a3789977aefe869cbebccf70e3cfd7ea84ca48547458f02e4f1d7146
FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY sdk/package.json sdk/
COPY plugins/providers/media-browser/package.json plugins/providers/media-browser/
RUN npm ci --omit=dev --no-audit --no-fund \
 && npm cache clean --force

FROM ${NODE_IMAGE} AS pages
WORKDIR /app
COPY package.json package-lock.json ./
COPY sdk/package.json sdk/
COPY plugins/providers/media-browser/package.json plugins/providers/media-browser/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY ui ui
RUN node ui/build.ts

FROM ${NODE_IMAGE}
# Several threads allocate; without the limit glibc keeps memory for each of them that nobody uses.
ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=2 \
    PLAYHEAD_DATA_DIR=/data \
    PLAYHEAD_HOST=0.0.0.0
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json plugin-registry.json LICENSE ./
COPY core core
COPY sdk sdk
# The test host, for checks of plugins.
COPY test/kit test/kit
COPY plugins plugins
# The introduction of the API description.
COPY docs/reference/http.md docs/reference/
COPY ui/static ui/static
COPY --from=pages /app/ui/dist ui/dist
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8787
# Answers whatever state the service is in, so that a sick configuration does not make a container restart for ever.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "core/health-check.js"]
CMD ["node", "core/start.js"]
