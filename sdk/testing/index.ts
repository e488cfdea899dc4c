// @playhead/sdk/testing: runs a plugin in a test, and plays the services that it talks to.
export { createTestHost } from './host.ts'
export type { ContainedFailure, TestHost, TestHostOptions } from './contract.ts'
export type { LogLine } from './logs.ts'
export { createTestClock } from './clock.ts'
export type { TestClock } from './clock.ts'
export { startServer } from './server.ts'
export type { Handler, ReceivedRequest, Reply, TestServer, TestServerOptions } from './server.ts'
export { TEST_TLS } from './certificate.ts'
