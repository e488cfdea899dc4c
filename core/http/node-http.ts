// Node's HTTP server. Importing `node:http` evaluates all its exports, and some of them load Node's fetch, which slows
// down the start.
export const { createServer, ServerResponse, STATUS_CODES } = process.getBuiltinModule('node:http')
