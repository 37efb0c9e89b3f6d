# Hearth in a container: the server with its embedded store and the UI.
#
#   docker build -t hearth .
#   printf 'hearth_%s_%s' "$(openssl rand -hex 6)" "$(openssl rand -hex 16)" > token && chmod 444 token
#   docker run --read-only --tmpfs /tmp -v hearth:/data -v ./token:/run/secrets/token:ro \
#     -p 4040:4040 -p 4317:4317 -p 4318:4318 hearth --first-token /run/secrets/token
#
# The root file system is read-only, the user is not root, and all data is in /data. Not run by the tests, which have no container engine.
# Built with buildah 1.28 in November 2026 on a base image made from Debian 12 and Node.js 24, because no registry of images was reachable:
# 933 MB, of which 545 MB are the embedded store. Its content was run with a read-only root, as user 1000 and in a network of its own.
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
# Packs the command, and installs its tarball with the embedded store.
RUN npm ci --ignore-scripts && npm rebuild chdb @cloudpss/zstd esbuild && npm run build \
 && mkdir /tarballs && npm pack --pack-destination /tarballs -w packages/cli \
 && mkdir /app && cd /app && npm init -y > /dev/null && npm install --no-audit --no-fund /tarballs/*.tgz \
 && npm cache clean --force

FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="Hearth" org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /app /app
RUN mkdir /data && chown node:node /data && ln -s /app/node_modules/.bin/hearth /usr/local/bin/hearth
# The user `node`, as a number, so that Kubernetes can tell that it is not root.
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 4040 4317 4318
ENV NODE_ENV=production HEARTH_DATA=/data HEARTH_HOST=0.0.0.0 HEARTH_LOG_FORMAT=json
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4040/readyz').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["hearth", "serve"]
