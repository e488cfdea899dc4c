// @playhead/sdk/testing: runs a plugin in a real host, and simulates the services it calls. The host is shared with
// Playhead's own tests.
export { createTestHost } from '../../test/kit/host.ts'
export type { ContainedFailure, TestHost, TestHostOptions } from '../../test/kit/contract.ts'
export type { LogLine } from '../../test/kit/logs.ts'
export { createTestClock } from './clock.ts'
export type { TestClock } from './clock.ts'
export { startServer } from './server.ts'
export type { Handler, ReceivedRequest, Reply, TestServer, TestServerOptions } from './server.ts'
export { acceptSocket } from './web-socket.ts'
export type { TestSocket } from './web-socket.ts'
export { TEST_TLS } from './certificate.ts'
export { createTestAccounts } from './accounts.ts'
export type { TestAccounts } from './accounts.ts'
