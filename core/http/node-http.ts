// Node's HTTP server without its client: an import of `node:http` reads every name of it, and some of those load all of
// Node's own fetch, which nothing here uses. That is a tenth of the time that a start takes.
export const { createServer, ServerResponse, STATUS_CODES } = process.getBuiltinModule('node:http')
