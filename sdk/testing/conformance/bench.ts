// A provider signed in at its simulator, with helpers for requests. Every check opens its own.
import { dirname } from 'node:path'
import { collectRead, type CollectedRead } from '../../provider/reads/collect-read.ts'
import {
  DEFAULT_PROFILE,
  type Feature,
  type Provider,
  providerCapability,
  type ReadRequest,
  type WriteOutcome,
  type WriteRequest,
  type WriteResult,
} from '../../provider/contract.ts'
import type { DefinedPlugin } from '../../define.ts'
import type { Item } from '../../items/item.ts'
import type { PluginManifest } from '../../manifest.ts'
import { createTestAccounts } from '../accounts.ts'
import { createTestClock, type TestClock } from '../clock.ts'
import type { TestHost } from '../contract.ts'
import { createTestHost } from '../host.ts'
import type { Coverage } from './coverage.ts'
import { LeftOut } from './checks/support.ts'
import type { Adapter, Person, SeenRequest, ServiceFault, Simulator } from './contract.ts'

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

export interface BenchParts {
  readonly plugin: DefinedPlugin
  readonly manifest: PluginManifest
  /** Path of plugin.json. */
  readonly file: string
  readonly adapter: Adapter
  /** On a thread of its own. */
  readonly isolated: boolean
  /** Notes what is exercised. */
  readonly coverage?: Coverage
  /** Called with each host, so that its output can be searched. */
  readonly onHost?: (host: TestHost) => void
}

export async function openBench(
  parts: BenchParts,
  { size = 24, signedIn = true, skewMs = 0 }: BenchOptions = {},
): Promise<Bench> {
  const { plugin, manifest, file, adapter, isolated, onHost } = parts
  const simulator = await adapter.start({ size })
  const hosts: TestHost[] = []
  const clock = createTestClock(Date.now() + skewMs)
  const capabilities = { accounts: createTestAccounts(), ...simulator.capabilities }

  async function close(): Promise<void> {
    for (const host of hosts) await host.close()
    await simulator.close()
  }

  async function start(source: string | PluginManifest, config: Readonly<Record<string, unknown>>): Promise<TestHost> {
    const host = await createTestHost({
      plugin,
      manifest: source,
      config,
      clock,
      capabilities,
      ...(isolated ? { isolated: dirname(file) } : {}),
    })
    hosts.push(host)
    onHost?.(host)
    return host
  }

  try {
    const host = await start(file, simulator.config)
    if (signedIn) await simulator.signIn(host, DEFAULT_PROFILE, 0)
    const bare = host.capability(providerCapability(manifest.provider?.id ?? '')) as unknown as Provider
    const provider = parts.coverage?.watch(bare) ?? bare
    const read: Bench['read'] = (feature, request = {}, instance = DEFAULT_PROFILE) =>
      collectRead(provider.read(instance, { feature, ...request }))
    const write: Bench['write'] = async (feature, op, items, more = {}, instance = DEFAULT_PROFILE) => {
      if (simulator.isRecorded === true && items.length > 0) throw new LeftOut('a recorded account takes no writes')
      return provider.write(instance, {
        feature,
        op,
        items: items.map((item, index) => ({ key: `k${index}`, item })),
        ...more,
      })
    }
    return {
      simulator,
      host,
      provider,
      clock,
      read,
      tryRead: (feature, request, instance) => read(feature, request, instance).catch((error: unknown) => ({ error })),
      write,
      async outcomesOf(feature, op, items, instance) {
        const { outcomes } = await write(feature, op, items, {}, instance)
        return items.map(
          (_, index) =>
            outcomes.find(({ key }) => key === `k${index}`) ?? {
              key: `k${index}`,
              outcome: 'unknown',
              reason: 'no outcome',
            },
        )
      },
      async addProfile(person) {
        const instance = await provider.createProfile({ settings: simulator.config })
        await simulator.signIn(host, instance, person)
        return instance
      },
      requests: () => simulator.services.flatMap(({ requests }) => requests),
      isWrite: (request) => simulator.isWrite?.(request) ?? !['GET', 'HEAD'].includes(request.method),
      fault: (fault) => simulator.services.forEach(({ faults }) => faults.add(fault)),
      clearFaults: () => simulator.services.forEach(({ faults }) => faults.clear()),
      elsewhere: (allowed) =>
        start(
          { ...manifest, needs: { ...manifest.needs, hosts: [...allowed] } },
          structuredClone(host.ctx.config) as never,
        ),
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
