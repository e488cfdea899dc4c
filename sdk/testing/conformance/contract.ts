// The conformance kit: checks a provider against a simulator of its service. The plugin's author writes the simulator
// and its adapter; the kit has the checks, the points and the report.
import type { ProviderDescription } from '../../provider/contract.ts'
import type { Feature } from '../../provider/features.ts'
import type { DefinedPlugin } from '../../define.ts'
import type { Item } from '../../items/item.ts'
import type { ListKind } from '../../provider/lists/lists.ts'
import type { PluginManifest } from '../../manifest.ts'
import type { TestHost } from '../contract.ts'
import type { CollectedRead } from '../../provider/reads/collect-read.ts'
import type { Provider } from '../../provider/contract.ts'
import type { ReadRequest } from '../../provider/reads/contract.ts'
import type { WriteOutcome, WriteRequest, WriteResult } from '../../provider/writes/contract.ts'
import type { TestClock } from '../clock.ts'

type Maybe<T> = T | Promise<T>

/** The two people of a simulator, with independent accounts. */
export type Person = 0 | 1

/** A request as a fault's `match` sees it. */
export interface SeenRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Present if the simulator provides it: services with a single endpoint distinguish reads and writes by the body. */
  readonly body?: string
}

export interface ServiceFault {
  /** Default: every request. */
  readonly match?: (request: SeenRequest) => boolean
  /** Number of affected requests. Default: until `clear()`. */
  readonly times?: number
  /**
   * - `status`: responds with `status` and `headers` instead of the service
   * - `hang`: never responds
   * - `reset`: processes the request, then closes the connection within the first line of the response
   * - `truncate`: processes the request, then closes the connection in the middle of the body
   * - `empty`: 200 without a body
   * - `html`: the page of a proxy, with `status` (default 502)
   */
  readonly kind: 'status' | 'hang' | 'reset' | 'truncate' | 'empty' | 'html'
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** One server of a simulator; `startFaultyServer` creates one. */
export interface StandIn {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** All requests, in order of arrival. */
  readonly requests: readonly SeenRequest[]
  readonly faults: { add(fault: ServiceFault): void; clear(): void }
}

/**
 * A multi-step sign-in as a client of the plugin's routes. For a flow that polls in the background, `poll` only reads
 * the state.
 */
export interface FlowScript {
  /** `device_code`, … */
  readonly method: string
  /** Starts it through the plugin's route and returns the data to show to the person. Throws if it cannot start. */
  start(host: TestHost, instance: string): Promise<{ readonly code: string }>
  /** `missing`: no such flow. */
  poll(
    host: TestHost,
    instance: string,
  ): Promise<'pending' | 'authorized' | 'denied' | 'expired' | 'failed' | 'missing'>
  cancel?(host: TestHost, instance: string): Promise<void>
  approve(code: string): Maybe<void>
  deny?(code: string): Maybe<void>
  /** Expires the code at the service. */
  expire?(code: string): Maybe<void>
}

/** A show that a person dropped. */
export interface Dropped {
  readonly item: Item
  /** The person resumes the show. */
  resume(): Maybe<void>
}

/** An item that a person is playing. */
export interface Played {
  readonly item: Item
  readonly positionMs: number
  /** The person stops playing. */
  stop(): Maybe<void>
}

export interface SimulatorOptions {
  /** Minimum number of items per feature, for `seed` and `fresh` together. */
  readonly size: number
}

/** A running simulator with two people and empty accounts. */
export interface Simulator {
  readonly services: readonly StandIn[]
  /**
   * Settings that connect the plugin to the simulator, before any sign-in. Use small pages and no limits of its own.
   */
  readonly config: Readonly<Record<string, unknown>>
  /** Fakes of the plugin's other capabilities, beside `accounts`. */
  readonly capabilities?: Readonly<Record<string, object>>
  /** Signs a person in at a profile; throws on failure. */
  signIn(host: TestHost, instance: string, person: Person): Promise<void>
  /** Signs in with a credential that the service refuses; must not throw. Absent: the service never refuses one. */
  signInWrongly?(host: TestHost, instance: string): Promise<void>
  /** Adds `count` more items to the person's account. */
  seed(person: Person, feature: Feature, count: number): Maybe<void>
  /** Removes a seeded item. Absent: unsupported. */
  takeOff?(person: Person, feature: Feature): Maybe<void>
  /** Items that the service knows, in no account, with a value for the feature and shared ids. */
  fresh(feature: Feature, count: number): Maybe<readonly Item[]>
  /**
   * Consecutive episodes of one show, in no account, with a value for the feature, as `fresh`. Absent: checks of
   * neighboring episodes are skipped.
   */
  episodes?(feature: Feature, count: number): Maybe<readonly Item[]>
  /** An item that the service does not know. */
  unknown?(feature: Feature): Item
  /** Rows in the account, as the service counts them. */
  count(person: Person, feature: Feature): Maybe<number>
  /**
   * The account's content from the service's own view, without the plugin's code: kind, shared ids,
   * numbers, `rating` of 1 to 10, `progress_ms` and `duration_ms` in milliseconds, times in UTC only if the service has
   * them. Absent: values are only checked by writing and reading back.
   */
  rows?(person: Person, feature: Feature): Maybe<readonly Item[]>
  /**
   * Items that a list of this kind accepts, if the service accepts only items of the account: adds them there. Absent:
   * `fresh` of a feature.
   */
  listItems?(person: Person, kind: ListKind, count: number): Maybe<readonly Item[]>
  /** The person plays an item from the middle. Absent: unsupported. */
  play?(person: Person): Maybe<Played>
  /** The person drops another show. Absent: unsupported. */
  drop?(person: Person): Maybe<Dropped>
  /** All secrets: tokens, passwords, keys. Called after the people have signed in. */
  secrets(): readonly string[]
  /** Secrets that people type to sign in and that must not be kept: passwords and codes. */
  typed?(): readonly string[]
  /** Expires the person's access token; it can be refreshed. */
  expire?(person: Person): Maybe<void>
  /** Revokes all credentials of the person's profile. */
  revoke?(person: Person): Maybe<void>
  /** Whether the request refreshes a token. */
  isRefresh?(request: SeenRequest): boolean
  /** Whether the request writes. Default: everything but GET and HEAD. */
  isWrite?(request: SeenRequest): boolean
  /** The response for an exhausted daily quota. Default: 429 with a Retry-After of an hour. */
  readonly quota?: Pick<ServiceFault, 'status' | 'headers'>
  readonly flows?: readonly FlowScript[]
  /** A recorded account: it can only be read. */
  readonly isRecorded?: true
  close(): Promise<void>
}

/** The default export of `conformance.ts` beside the plugin. */
export interface Adapter {
  start(options: SimulatorOptions): Promise<Simulator>
  /** Checks that do not fit this service, by id, with the reason. Reported as skipped. */
  readonly leaveOut?: Readonly<Record<string, string>>
}

/** The provider to check. */
export interface Subject {
  readonly manifest: PluginManifest
  readonly plugin: DefinedPlugin
  readonly description: ProviderDescription
  /** Capabilities of its simulator. */
  readonly can: {
    readonly fail: boolean
    readonly expire: boolean
    readonly revoke: boolean
    readonly takeOff: boolean
    readonly unknown: boolean
    readonly refuse: boolean
    readonly play: boolean
    readonly drop: boolean
    readonly rows: boolean
    readonly episodes: boolean
    readonly typed: boolean
    readonly flows: readonly string[]
    /** The profile works without a sign-in. */
    readonly local: boolean
  }
  readonly leaveOut: Readonly<Record<string, string>>
  /** Number of rows in checks of large reads. */
  readonly items: number
  /** Of checks that try acts in many orders: the same number tries the same ones. */
  readonly seed: number
  /** The exercised features so far. */
  readonly coverage: Coverage
  /** A fresh simulator with the plugin in a host, signed in by default. */
  open(options?: BenchOptions): Promise<Bench>
}

export const GROUPS = [
  'basics',
  'sign-in',
  'reads',
  'damage',
  'writes',
  'limits',
  'isolation',
  'refresh',
  'cancel',
  'reload',
  'secrets',
  'hosts',
  'stable',
  'playing',
  'scrobble',
  'dropped',
  'lists',
] as const
export type Group = (typeof GROUPS)[number]

export interface Check {
  /** `reads.complete` */
  readonly id: string
  readonly group: Group
  /** The promise, as a sentence. */
  readonly title: string
  /** Default 1; 3 where data would be lost. */
  readonly points?: number
  /** Measures time or memory: runs alone. */
  readonly alone?: boolean
  /** Mostly waits for timers: does not count towards the concurrency. */
  readonly waits?: boolean
  /** true, or why the check does not apply to this provider. */
  applies(subject: Subject): true | string
  /** The failure, or undefined. An error is a failure, too. */
  run(subject: Subject): Promise<string | undefined>
}

export interface CheckResult {
  readonly id: string
  readonly group: Group
  readonly title: string
  readonly points: number
  readonly outcome: 'passed' | 'failed' | 'left_out'
  /** Why it failed or was skipped. */
  readonly reason?: string
  /** If it failed: what to change. */
  readonly remedy?: string
  readonly tookMs: number
}

export interface Report {
  readonly plugin: string
  readonly version: string
  readonly label: string
  /** Points of the checks that passed, and of those that applied. */
  readonly points: number
  readonly possible: number
  readonly passed: boolean
  readonly results: readonly CheckResult[]
  /**
   * Declared features that no check exercised: a kind of a feature, an operation, specials, playback. A
   * sentence each. Absent unless all checks of the kit ran.
   */
  readonly unexercised?: readonly string[]
}

export interface BenchOptions {
  /** Items at the service. Default 24. */
  readonly size?: number
  /** Default true. */
  readonly signedIn?: boolean
  /** Clock skew of Playhead's machine. */
  readonly skewMs?: number
}

export interface Bench extends AsyncDisposable {
  readonly simulator: Simulator
  readonly host: TestHost
  readonly provider: Provider
  readonly clock: TestClock
  read(feature: Feature, request?: Partial<ReadRequest>, instance?: string): Promise<CollectedRead>
  /** The error or the result of a read. */
  tryRead(
    feature: Feature,
    request?: Partial<ReadRequest>,
    instance?: string,
  ): Promise<CollectedRead | { readonly error: unknown }>
  write(
    feature: Feature,
    op: WriteRequest['op'],
    items: readonly Item[],
    more?: Partial<WriteRequest>,
    instance?: string,
  ): Promise<WriteResult>
  /** One outcome per item, in order. */
  outcomesOf(
    feature: Feature,
    op: WriteRequest['op'],
    items: readonly Item[],
    instance?: string,
  ): Promise<readonly WriteOutcome[]>
  /** Creates a profile and signs the person in. */
  addProfile(person: Person): Promise<string>
  /** All requests to all servers of the service. */
  requests(): readonly SeenRequest[]
  isWrite(request: SeenRequest): boolean
  /** Injects a fault into every server. */
  fault(fault: ServiceFault): void
  clearFaults(): void
  /** The same settings in another host that may reach only the given hosts. */
  elsewhere(hosts: readonly string[]): Promise<TestHost>
}

/** Notes what was exercised: `<feature> <operation> <kind>`. */
export interface Coverage {
  /** The provider, with notes of rows that it gave and items that it wrote. */
  watch(provider: Provider): Provider
  /**
   * Declared and never exercised, a sentence each; empty if everything was.
   * @param results of all checks; without them only features and kinds are checked
   */
  missing(description: ProviderDescription, results?: readonly CheckResult[]): readonly string[]
}
