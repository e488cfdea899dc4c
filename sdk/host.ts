// What a host takes from the SDK to serve plugins: the parts that outlive any one of them. Plugins do not import this.
export { isHostAllowed, resolveAllowedHosts } from './upstream/allowed-hosts.ts'
export { createUpstreamHub, type GenerationUpstream, type UpstreamHub } from './upstream/hub.ts'
export { createRemoteHandle, isAsyncIterable } from './remote.ts'
export { runMigrations } from './own-database/migrations.ts'
export { openOwnDatabase } from './own-database/open.ts'
export { checkReadable } from './own-database/readable.ts'
export { keepStatements, valuesOf } from './own-database/statements.ts'
export { asUnreadable } from './own-database/unreadable.ts'
