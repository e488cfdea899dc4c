// A provider signed in at its simulator, with helpers for requests. Every check opens its own.
import { dirname } from 'node:path'
import { collectRead } from '../../provider/reads/collect-read.ts'
import { type Provider, providerCapability } from '../../provider/contract.ts'
import { DEFAULT_PROFILE } from '../../provider/profiles/profile-ids.ts'
import type { DefinedPlugin } from '../../define.ts'
import type { PluginManifest } from '../../manifest.ts'
import { createTestAccounts } from '../accounts.ts'
import { createTestClock } from '../clock.ts'
import type { TestHost } from '../contract.ts'
import { createTestHost } from '../host.ts'
import type { Coverage, Adapter, BenchOptions, Bench } from './contract.ts'
import { LeftOut } from './checks/support.ts'

interface BenchParts {
  readonly plugin: DefinedPlugin
  readonly manifest: PluginManifest
  /** Path of plugin.json. */
  readonly file: string
  readonly adapter: Adapter
  /** Runs on a thread of its own. */
  readonly isolated: boolean
  /** Records exercised operations. */
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
