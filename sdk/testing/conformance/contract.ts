// The conformance kit: what a provider must do, checked against a stand-in of its service. The author brings the
// stand-in through an adapter; the checks, the points and the report are the kit's.
import type { Feature, ProviderDescription } from '../../provider/contract.ts'
import type { DefinedPlugin } from '../../define.ts'
import type { Item } from '../../items/item.ts'
import type { PluginManifest } from '../../manifest.ts'
import type { TestHost } from '../index.ts'
import type { Bench, BenchOptions } from './bench.ts'

type Maybe<T> = T | Promise<T>

/** The people of a stand-in: two, whose accounts have nothing to do with each other. */
export type Person = 0 | 1

/** What a fault sees of a request. */
export interface SeenRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Where the stand-in shows it: services that are asked everything in one way tell reads from writes by it. */
  readonly body?: string
}

export interface ServiceFault {
  /** Default: every request. */
  readonly match?: (request: SeenRequest) => boolean
  /** After so many requests it is over. Default: until `clear()`. */
  readonly times?: number
  /**
   * - `status`: answers `status` with `headers` instead of the service
   * - `hang`: never answers
   * - `reset`: does the work, then cuts the connection without an answer
   * - `truncate`: does the work and cuts the connection in the middle of the body
   * - `empty`: 200 without a body
   * - `html`: the page of a proxy, with `status` (default 502)
   */
  readonly kind: 'status' | 'hang' | 'reset' | 'truncate' | 'empty' | 'html'
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** One server of a stand-in; `startFaultyServer` makes one. */
export interface StandIn {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** All that was asked, in order of arrival. */
  readonly requests: readonly SeenRequest[]
  readonly faults: { add(fault: ServiceFault): void; clear(): void }
}

/**
 * A sign-in in steps, as a client of the plugin's routes goes through it. Of a flow that asks by itself `poll` only
 * looks.
 */
export interface FlowScript {
  /** `device_code`, … */
  readonly method: string
  /** Starts it through the plugin's route and gives what is shown to the person. Throws when it cannot be started. */
  start(host: TestHost, instance: string): Promise<{ readonly code: string }>
  /** `missing`: there is no such flow. */
  poll(
    host: TestHost,
    instance: string,
  ): Promise<'pending' | 'authorized' | 'denied' | 'expired' | 'failed' | 'missing'>
  cancel?(host: TestHost, instance: string): Promise<void>
  approve(code: string): Maybe<void>
  deny?(code: string): Maybe<void>
  /** The service no longer knows the code. */
  expire?(code: string): Maybe<void>
}

/** A show that a person gave up. */
export interface Dropped {
  readonly item: Item
  /** The person takes it up again. */
  resume(): Maybe<void>
}

/** Something that a person began to play. */
export interface Played {
  readonly item: Item
  readonly positionMs: number
  /** The person ends it. */
  stop(): Maybe<void>
}

export interface SimulatorOptions {
  /** At least so many items must be there for `seed` and `fresh` together, per feature. */
  readonly size: number
}

/** A running stand-in with two people, whose accounts are empty. */
export interface Simulator {
  readonly services: readonly StandIn[]
  /**
   * Settings that lead the plugin to the stand-in, before anybody is signed in. Small pages and no limits of its own
   * make better checks.
   */
  readonly config: Readonly<Record<string, unknown>>
  /** What the plugin uses of other plugins, beside `accounts`. */
  readonly capabilities?: Readonly<Record<string, object>>
  /** Signs a person in at a profile; throws when that fails. */
  signIn(host: TestHost, instance: string, person: Person): Promise<void>
  /** Tries to sign in with something that the service refuses; must not throw. Absent: there is nothing to refuse. */
  signInWrongly?(host: TestHost, instance: string): Promise<void>
  /** The person puts `count` more items into the account. Absent from the answer: what the service keeps of them. */
  seed(person: Person, feature: Feature, count: number): Maybe<void>
  /** The person takes one of the seeded items off. Absent: there is no such thing. */
  takeOff?(person: Person, feature: Feature): Maybe<void>
  /**
   * Items that the service knows and that are in nobody's account, with a value for the feature, in ids that all share.
   */
  fresh(feature: Feature, count: number): Maybe<readonly Item[]>
  /** An item that the service has never heard of. */
  unknown?(feature: Feature): Item
  /** Rows in the account, as the service counts them. */
  count(person: Person, feature: Feature): Maybe<number>
  /**
   * The person plays an item that the service knows, from somewhere in its middle. Absent: nothing can be played there.
   */
  play?(person: Person): Maybe<Played>
  /** The person gives another show up, which the service knows. Absent: there is no such thing. */
  drop?(person: Person): Maybe<Dropped>
  /** Everything that must never be seen: tokens, passwords, keys. Asked after the people have signed in. */
  secrets(): readonly string[]
  /** The access token of the person ends, and can be refreshed. */
  expire?(person: Person): Maybe<void>
  /** Nothing that was given to the person's profile works any more. */
  revoke?(person: Person): Maybe<void>
  /** The request that refreshes a token. */
  isRefresh?(request: SeenRequest): boolean
  /** The request changes something at the service. Default: everything but GET and HEAD. */
  isWrite?(request: SeenRequest): boolean
  /** How the service says that the day's allowance is used up. Default: 429 with a Retry-After of an hour. */
  readonly quota?: Pick<ServiceFault, 'status' | 'headers'>
  readonly flows?: readonly FlowScript[]
  /** One account as it once was: it can be read, and neither changed nor exchanged for another. */
  readonly isRecorded?: true
  close(): Promise<void>
}

/** The default export of `conformance.ts` beside the plugin. */
export interface Adapter {
  start(options: SimulatorOptions): Promise<Simulator>
  /** Checks that do not fit this service, by id, with the reason. They are shown as left out. */
  readonly leaveOut?: Readonly<Record<string, string>>
}

/** A provider to be checked. */
export interface Subject {
  readonly manifest: PluginManifest
  readonly plugin: DefinedPlugin
  readonly description: ProviderDescription
  /** What its stand-in can do. */
  readonly can: {
    readonly fail: boolean
    readonly expire: boolean
    readonly revoke: boolean
    readonly takeOff: boolean
    readonly unknown: boolean
    readonly refuse: boolean
    readonly play: boolean
    readonly drop: boolean
    readonly flows: readonly string[]
    /** The profile works without a sign-in. */
    readonly local: boolean
  }
  readonly leaveOut: Readonly<Record<string, string>>
  /** Rows of the checks that read many. */
  readonly items: number
  /** A fresh stand-in with the plugin in a host in front of it, signed in unless told otherwise. */
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
  'dropped',
] as const
export type Group = (typeof GROUPS)[number]

export interface Check {
  /** `reads.complete` */
  readonly id: string
  readonly group: Group
  /** A promise, as a sentence. */
  readonly title: string
  /** Default 1; 3 where data would be lost. */
  readonly points?: number
  /** Measures time or memory: nothing else runs meanwhile. */
  readonly alone?: boolean
  /** Spends its time waiting for a person or a code: it takes nobody's place. */
  readonly waits?: boolean
  /** true, or why the check says nothing about this provider. */
  applies(subject: Subject): true | string
  /** What is wrong; nothing when all is well. What it throws is wrong, too. */
  run(subject: Subject): Promise<string | undefined>
}

export interface CheckResult {
  readonly id: string
  readonly group: Group
  readonly title: string
  readonly points: number
  readonly outcome: 'passed' | 'failed' | 'left_out'
  /** Why it failed or was left out. */
  readonly reason?: string
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
}
