// @playhead/sdk/testing/conformance: checks a provider plugin against a simulator of its service.
export type {
  Adapter,
  Check,
  CheckResult,
  Dropped,
  FlowScript,
  Group,
  Person,
  Played,
  Report,
  SeenRequest,
  ServiceFault,
  Simulator,
  SimulatorOptions,
  StandIn,
  Subject,
} from './contract.ts'
export { GROUPS } from './contract.ts'
export type { Bench, BenchOptions } from './contract.ts'
export { CHECKS } from './checks/index.ts'
export { startFaultyServer, type FaultyServer } from './faulty-server.ts'
export { recordedAdapter, type RecordedOptions } from './recorded-adapter.ts'
export { type Exchange, openRecording, type Recording } from './recording.ts'
export { badgeOf, tableOf } from './report.ts'
export { runConformance, type RunOptions, unexercised } from './run.ts'
export { openSubject, type SubjectOptions } from './subject.ts'
