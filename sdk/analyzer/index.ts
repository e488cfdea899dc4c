// @playhead/sdk/analyzer: rules that inspect stored items.
export type * from './contract.ts'
export { defineAnalyzer, ruleOf } from './define-analyzer.ts'
export { withExpectedId, withPeerIds } from './peer-ids.ts'
export type { PeerIds } from './peer-ids.ts'
export type { DefinedAnalyzer } from './define-analyzer.ts'
